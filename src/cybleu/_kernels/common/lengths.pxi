# The reference length of a segment with several references.
#
# Offers: the rules with their names, and `length_with`, which applies one.

# How the reference length is chosen among several references.
cdef enum:
    CLOSEST
    CLOSEST_FIRST
    SHORTEST
    AVERAGE


# Those in `metrics/counting.py`, in the order of the enum.
REFERENCE_LENGTHS = ("closest", "closest-first", "shortest", "average")


cdef inline Py_ssize_t length_with(Py_ssize_t chosen, Py_ssize_t length, Py_ssize_t wanted, int rule) noexcept nogil:
    """Update the reference length, initially -1, with another reference; for the average, this is the sum.

    The closest length is the shorter of two that are equally close, as in `_definitions/ngrams.py`.
    """
    cdef int64_t farther
    if chosen < 0:
        return length
    if rule == AVERAGE:
        return chosen + length
    if rule == SHORTEST:
        return min(chosen, length)
    farther = llabs(length - wanted) - llabs(chosen - wanted)
    return length if farther < 0 or (farther == 0 and rule == CLOSEST and length < chosen) else chosen
