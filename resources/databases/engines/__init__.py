"""What every database shares: one engine for stores, its limits, and what its failures are called."""
