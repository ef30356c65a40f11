"""Code location "demand": pattern facts -> candidates -> validated demands -> demand_content.

Belongs here: the demand half, its domain packages (``evidence``, ``proposers``, ``outputs``, which know no Dagster)
and its Dagster assets, checks, sensors and jobs. Does not belong here: connections, suites, anything of supply.
"""
