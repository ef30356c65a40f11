"""Ask a proposer, decide each candidate in the database, ask again until enough are accepted; and what came of it."""
