"""Which titles or texts are nearly the same, and which only look so."""
