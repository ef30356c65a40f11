"""The dialects: one module a vendor, each pure; what they share is in ``provider``, ``bodies`` and ``rows``."""
