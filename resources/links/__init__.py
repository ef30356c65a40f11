"""The one reader of links: which article a link means, where its page is asked for, and what of it may be kept."""
