# Compiled versions of Python functions.

# Whether compiled functions are enabled; otherwise they call the original function.
cdef bint serves() noexcept

# Copy names, docstring and signature of a function to its compiled version, which is returned.
cdef object copy_metadata(object source, object target)
