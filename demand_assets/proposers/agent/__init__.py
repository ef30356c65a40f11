"""The proposer that asks a language model: its prompt, tools, rounds and what is read out of its answers."""
