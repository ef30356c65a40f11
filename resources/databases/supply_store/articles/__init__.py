"""What is kept of articles: candidates, accounts, features, scores, and the plans made of them."""
