"""The domain core: what a candidate claims, when its evidence closes, what a proven pack is.

Belongs here: refs, rules, closure, pack, re-proof, scorecard. Does not belong here: Dagster, SQL, files, HTTP.
Anyone above may import it; it imports only ``resources``.
"""
