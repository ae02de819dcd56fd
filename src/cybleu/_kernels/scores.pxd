# Compiled functions in the place of those in Python.

# Whether they score; otherwise they call the function that they stand for.
cdef bint serves() noexcept

# The compiled function, which looks like `face`: its names, its text, its signature.
cdef object stand_for(object face, object function)
