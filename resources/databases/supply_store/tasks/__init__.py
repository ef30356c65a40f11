"""Tasks: their state, leases, stages, snapshots, and the lists and counts that are read of them."""
