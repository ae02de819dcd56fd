"""What long work needs, whatever it computes: arrays, threads, progress, interrupts."""
