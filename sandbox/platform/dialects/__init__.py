"""The interfaces of the stand-in platform, one module a vendor."""
