"""What a named person decides on a task or an article, and the list of what there is to decide."""
