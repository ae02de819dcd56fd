"""Map tokens, objects or characters, to integer ids."""
