"""The eight suites over a demand partition, each beside the frame it judges."""
