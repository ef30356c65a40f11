"""Rules, their evaluation by Great Expectations, and the one adapter to asset checks; it knows no subject."""
