"""Whether a published row still stands behind a task; what does not is frozen, what does again is released."""
