"""Filters, five scores, duplicates and diversity of one pool, into one order."""
