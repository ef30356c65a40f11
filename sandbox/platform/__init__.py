"""A content platform over real HTTP: search, accounts, histories, articles, plans, and switches for faults (S-014)."""
