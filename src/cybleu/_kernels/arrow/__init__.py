"""Read columns through the Arrow C data interface."""
