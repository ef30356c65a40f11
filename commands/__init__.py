"""The command line ``pattern2plan``: arguments in, typed errors and exit codes out; nothing is decided here."""
