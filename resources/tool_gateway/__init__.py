"""The tool gateway: four tools, each answered by an ordered list of providers behind one contract (S-010 … S-013a).

Belongs here: HTTP, retries, limits, breakers, wire shapes, and telling a failure that came as a 200 from content.
Does not belong here: what an answer means for a task. Texts, times and counts are handed on as they came.
"""
