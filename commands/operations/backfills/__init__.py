"""Backfills of executions: ordinary runs with one tag, from which all that is known of a backfill is read.

Not Dagster's own backfills: one of a job gives up its pending runs when a code server is away (DG11) and stops whole
where a partition was removed (DG2); one of assets does not choose the job, and here the job is the output mode.
"""
