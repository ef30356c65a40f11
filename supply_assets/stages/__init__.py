"""What each stage of a task does (S-020 … S-029); a stage ends in one transaction (S-042)."""
