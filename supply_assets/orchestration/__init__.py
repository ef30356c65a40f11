"""The supply location in Dagster: thin assets, checks, jobs and sensors over the steps of a batch."""
