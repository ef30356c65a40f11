"""What one batch came to, from the itemsets of its execution to the items of its plans; for a person to read.

Belongs here: gathering the numbers from the databases, and one page that shows them. Nothing in here writes a database
or knows Dagster.
"""
