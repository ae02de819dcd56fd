"""Helpers without domain logic: arrays, threads, progress bars, interrupts, lazy imports."""
