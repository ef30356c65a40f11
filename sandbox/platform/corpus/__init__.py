"""What the stand-in platform knows: articles, their pages and links, found by words."""
