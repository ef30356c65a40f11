"""Code location "supply": demands become candidate pools, scores and crawler plans.

Belongs here: intake, the stages, scoring, replay, trace, review, and the Dagster assets over them. Does not belong
here: an open connection (``resources``) or what proves a pack (``demand_assets.evidence``). ``normalisation``,
``scoring`` and ``stages`` know no Dagster.
"""
