"""What is told to people when something failed: the message, and the webhook that takes it."""
