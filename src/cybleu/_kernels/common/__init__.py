"""Shared by all kernels: memory, bits, hashing, tables, interrupts."""
