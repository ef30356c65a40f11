"""An independent reading of D-033, D-035, D-036 and D-038 over whole frames: which itemsets close."""

from __future__ import annotations

from sandbox.facts.fact_base import FactBase

KEY = ["execution_id", "post_id", "category_id", "point_type", "dimension"]


def closing_itemsets(facts: FactBase) -> set[int]:
    """Ids of the topic itemsets every rule of which holds in every matched post."""
    heads = facts.itemset.merge(facts.config, left_on="mining_config_id", right_on="id", suffixes=("", "_config"))
    heads = heads[
        (heads["scope"] == "topic")
        & (heads["scope_config"] == "topic")
        & (heads["execution_id"] == heads["execution_id_config"])
    ]
    return set(heads["id"]) & _with_closed_categories(facts) & _with_counted_posts(facts) & _with_bound_items(facts)


def _with_closed_categories(facts: FactBase) -> set[int]:
    items = facts.itemset_item.merge(facts.itemset[["id", "execution_id"]], left_on="itemset_id", right_on="id")
    joined = items.merge(facts.category, how="left", left_on="category_id", right_on="id", suffixes=("", "_category"))
    closed = joined["path"].fillna("").str.strip().ne("") & (
        joined["execution_id"] == joined["execution_id_category"]
    ).fillna(False)
    return set(joined["itemset_id"]) - set(joined.loc[~closed.astype(bool), "itemset_id"])


def _with_counted_posts(facts: FactBase) -> set[int]:
    links = facts.itemset_post.assign(blank=facts.itemset_post["post_id"].fillna("").str.strip() == "")
    counted = links.groupby("itemset_id").agg(posts=("post_id", "nunique"), blank=("blank", "any"))
    joined = facts.itemset.join(counted, on="id")
    posts = joined["posts"].fillna(0)
    right = (posts == joined["absolute_support"]) & (posts > 0) & joined["blank"].isin([False])
    return set(joined.loc[right, "id"])


def _with_bound_items(facts: FactBase) -> set[int]:
    asked = (
        facts.itemset_post.merge(facts.itemset_item, on="itemset_id")
        .merge(
            facts.itemset[["id", "execution_id"]],
            left_on="itemset_id",
            right_on="id",
            suffixes=("", "_itemset"),
        )
        .reset_index(names="ask")
    )
    carried = facts.element[facts.element["source_table"] == "post_decode_topic_point_element"]
    pairs = asked.merge(carried, on=KEY, suffixes=("", "_carried"))
    fits = pairs["element_name"].isna() | (pairs["element_name"] == pairs["element_name_carried"]).fillna(False)
    unbound = asked.loc[~asked["ask"].isin(pairs.loc[fits.astype(bool), "ask"]), "itemset_id"]
    return set(asked["itemset_id"]) - set(unbound)
