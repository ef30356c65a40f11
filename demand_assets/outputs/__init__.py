"""Where accepted demands go: files of one run, the one table, and the two mirrored pools. No Dagster in here."""
