"""Words: the lexicon, the tokens, and titles without what frames them."""
