"""What is read from the environment: one way of reading it, and one model a subject."""
