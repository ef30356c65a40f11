"""Benchmarks: ratios measured side by side in one run, printed as JSON; nothing here is asserted in a test."""
