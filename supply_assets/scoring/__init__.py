"""Features and scores of articles and accounts, near-duplicates, ranking: pure functions of their arguments.

Belongs here: formulas. Does not belong here: network, stores, the clock. Every part is 0 … 100 (S-023).
"""
