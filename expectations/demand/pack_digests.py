"""What a pack says of posts, items and bindings, as the digests that the database makes of its facts.

A pack that says something in another form than the one a proven pack has (another order, another type, a blank, a
separator inside a value) has no digest: it is looked at row by row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from operator import itemgetter, lt
from typing import Any

from demand_assets.evidence.fact_consistency import depth_of
from resources.databases.pattern_facts.digests import digest_of, row_text

MOST_ELEMENTS = 10_000
_ITEM = itemgetter(
    "itemset_item_id", "category_id", "point_type", "dimension", "element_name",
    "category_name", "category_path", "category_full_path",
)  # fmt: skip
_PLACE = itemgetter("category_id", "point_type", "dimension")
_ELEMENT = itemgetter("itemset_item_id", "element_name", "matched_element_count", "matched_post_count")
_TEXTS = {str, type(None)}


def posts_digest(post_ids: Sequence[Any]) -> str | None:
    """Digest of distinct posts in the order of code points, none of them blank (D-036).

    Raises:
        TypeError: an id is no text.
    """
    if not post_ids or not all(map(lt, post_ids, islice(post_ids, 1, None))):
        return None
    if not post_ids[0] or any(map(str.isspace, post_ids)):
        return None
    return digest_of(post_ids)


def items_digest(bindings: Sequence[Mapping[str, Any]], itemset_id: int, execution_id: int) -> str | None:
    """Digest of the items in the order of their ids, each on a category of the execution with a path (D-035).

    Raises:
        KeyError: a field is missing.
    """
    rows, last = [], 0
    for binding in bindings:
        item_id, category_id, *texts = _ITEM(binding)
        if type(item_id) is not int or type(category_id) is not int or not _TEXTS.issuperset(map(type, texts)):
            return None
        path = texts[4]
        if item_id <= last or not path or path.isspace() or not _is_id(binding["itemset_id"], itemset_id):
            return None
        last = item_id
        tree = (depth_of(texts[5]) or None, texts[1])  # level and dimension of the category, as they must be (D-035)
        rows.append(row_text(item_id, category_id, *texts[:3], execution_id, *texts[3:], *tree))
    return digest_of(rows)


def bindings_digest(
    elements: Sequence[Mapping[str, Any]], items: Sequence[Mapping[str, Any]], itemset_id: int, post: str
) -> str | None:
    """Digest of the bound elements, one row an element of the facts, in the order of item and name (D-038).

    Raises:
        KeyError: a field is missing, or an item is none of ``items``.
    """
    places = {item["itemset_item_id"]: _PLACE(item) for item in items}
    rows: list[str] = []
    last: tuple[int, str] = (0, "")
    for element in elements:
        item_id, name, times, posts = _ELEMENT(element)
        if type(item_id) is not int or not isinstance(name, str) or type(times) is not int:
            return None
        if (item_id, name) <= last or not 0 < times <= MOST_ELEMENTS - len(rows):
            return None
        place = _PLACE(element)
        if place != places[item_id] or type(place[0]) is not int or not _is_id(element["itemset_id"], itemset_id):
            return None
        if posts != 1 or element["matched_post_ids"] != [post]:
            return None
        last = (item_id, name)
        rows.extend([row_text(item_id, post, name)] * times)
    return digest_of(rows)


def _is_id(value: object, wanted: int) -> bool:
    """1.0 and true equal 1, and are no ids."""
    return type(value) is int and value == wanted
