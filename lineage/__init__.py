"""What is read across both halves: the chain of an article, the report of a batch, the metrics.

It changes nothing and knows no Dagster; no domain room of a half imports it.
"""
