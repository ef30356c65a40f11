"""What can be said of one article or one account by itself."""
