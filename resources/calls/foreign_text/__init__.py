"""Text that comes from outside, before and while it is read: how large it may be, and a process that may be killed.

Belongs here: bounds that cost less than the reading, and the reading beside the event loop. Does not belong here: what
a text means.
"""
