"""Three checks for each asset of a batch, each beside the frame it judges."""
