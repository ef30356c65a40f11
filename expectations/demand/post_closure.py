"""Suite ``post_closure``: the matched posts are the itemset's posts, all of them, and nothing else (D-036, D-037)."""

from __future__ import annotations

from expectations.demand.frames import PACKS
from expectations.engine.rules import Suite, one_of, rows_exist, same, within

_FIX = "the posts differ from pattern_itemset_post: materialize validated_demands again"

SUITE = Suite(
    name="post_closure",
    frame=PACKS,
    description="matched_post_ids are the distinct posts of the itemset, absolute_support many; the source is one.",
    blocking=True,
    rules=(
        *rows_exist(),
        *within("D-036", "post_count", 1, None, _FIX),
        *same("D-036", "post_count", "fact_post_count", _FIX),
        *same("D-036", "post_count", "absolute_support", _FIX),
        *same("D-036", "posts", "fact_posts", _FIX),
        *one_of("D-036", "fact_blank_posts", [0], "pattern_itemset_post holds blank post ids for this itemset"),
        *same("D-051", "case_ids", "posts", _FIX),
        *one_of("D-037", "source_post_is_fact", [True], _FIX),
    ),
)
