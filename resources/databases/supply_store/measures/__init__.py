"""Counts and times over tasks and calls, for reports and metrics; they never read a payload whole."""
