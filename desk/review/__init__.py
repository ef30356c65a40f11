"""Pages for deciding by hand on tasks and articles."""
