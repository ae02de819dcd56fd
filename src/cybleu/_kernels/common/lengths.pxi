# The reference length of a segment with several references.
#
# Offers: the rules and their names, `closer` for the usual one, `length_with` for any of them, `length_gap`.

# How the reference length is chosen among several references.
cdef enum:
    CLOSEST
    CLOSEST_FIRST
    SHORTEST
    AVERAGE


# Those in `metrics/counting.py`, in the order of the enum.
REFERENCE_LENGTHS = ("closest", "closest-first", "shortest", "average")


cdef inline int64_t length_gap(int64_t one, int64_t other) noexcept nogil:
    return one - other if one > other else other - one


cdef inline Py_ssize_t closer(Py_ssize_t best, Py_ssize_t length, Py_ssize_t wanted) noexcept nogil:
    """Return the closer of two reference lengths; ties go to the shorter one. -1 means none yet.

    The same rule is in `metrics/counting.py`, which sorts the lengths of prepared references, and in `pairwise.py`.
    """
    cdef int64_t best_distance = length_gap(best, wanted)
    cdef int64_t gap = length_gap(length, wanted)
    if best < 0 or gap < best_distance or (gap == best_distance and length < best):
        return length
    return best


cdef inline Py_ssize_t length_with(Py_ssize_t chosen, Py_ssize_t length, Py_ssize_t wanted, int mode) noexcept nogil:
    """Update the reference length, initially -1, with another reference; for the average, this is the sum."""
    if mode == CLOSEST:
        return closer(chosen, length, wanted)
    if chosen < 0:
        return length
    if mode == AVERAGE:
        return chosen + length
    if mode == SHORTEST:
        return min(chosen, length)
    return length if length_gap(length, wanted) < length_gap(chosen, wanted) else chosen
