"""One run of the demand half: prepare, decide, publish, account; the command and the assets call the same steps."""
