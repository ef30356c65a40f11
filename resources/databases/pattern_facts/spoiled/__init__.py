"""Facts altered on purpose and read back one by one: what the scorecard needs, and no run ever does."""
