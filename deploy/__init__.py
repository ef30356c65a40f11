"""How the product runs beyond one process: configuration files, and a stack of them all on one machine."""
