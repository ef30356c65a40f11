"""The OpenAI-compatible endpoint: one bounded completion, what it costs, and its transcript."""
