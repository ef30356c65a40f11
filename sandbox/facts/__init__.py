"""Fact bases that may be written: tables, loading, ids."""
