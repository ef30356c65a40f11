"""The demand location in Dagster: thin assets, checks, jobs and sensors over the steps of a run."""
