"""What a tool is asked and answers, and how an article is read out of its page."""
