"""The review desk: a few server-rendered pages on which a signed-in person holds, releases, accepts and rejects.

It decides by the same functions as the command (S-030) and keeps nothing of its own.
"""
