"""What a person or a script sees of a command: its answer, its progress, its errors and its exit code.

Belongs here: what every command does alike, whatever it is about. Its modules import nothing heavy: ``--help`` waits
for them.
"""
