"""The first stage: what is searched for, and the rows that searches give."""
