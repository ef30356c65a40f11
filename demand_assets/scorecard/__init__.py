"""The scorecard (D-074): faults of known kinds are injected, and each must be refused with the right code.

Belongs here: fault classes, the oracle, the report. Does not belong here: the rules that are being scored.
"""
