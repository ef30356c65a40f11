"""What foreign writing brings beside its letters: entities of HTML and characters that nobody sees."""
