"""Advancing tasks under leases, stage after stage, and what a batch came to."""
