"""Frequent itemsets out of tagged posts."""
