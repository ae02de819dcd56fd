/* A library to preload on i386. The x87 computes in extended precision by default, and a result that is then stored as
 * a double is rounded twice. This lets the x87 round to double precision, as SSE2 does. */

__attribute__((constructor)) static void round_to_double(void) {
    unsigned short mode;
    __asm__ volatile("fnstcw %0" : "=m"(mode));
    mode = (mode & ~0x300) | 0x200;
    __asm__ volatile("fldcw %0" : : "m"(mode));
}
