"""The sample of the demo: posts, words, and the defects that are put in on purpose."""
