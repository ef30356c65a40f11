"""What an answer means: its status, its body, a notice in its place, and the answer that a caller gets."""
