"""Commands to try the product with: the demo, sample facts, a platform to stand in for the real one."""
