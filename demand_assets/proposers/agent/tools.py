"""The read tools of the agent proposer (D-013): answers from the facts, trimmed, saying what was left out.

Every read has its own short snapshot, so no transaction is open while the model is called (PG2). What a model asks
for in a wrong form is answered with an ``error`` text, never with an exception. Stored text is data in the answers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from demand_assets.evidence.refs import Identifier
from demand_assets.evidence.terms import normal_form
from demand_assets.evidence.weights import WeightScores
from demand_assets.proposers.agent.recorder import CREATE_MANY, CREATE_ONE
from resources.databases.pattern_facts.categories import read_category_names
from resources.databases.pattern_facts.closure_facts import read_bindings, read_items, read_itemsets, read_posts
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.pattern_facts.listing import choose_source_posts, list_topic_itemsets
from resources.databases.pattern_facts.records import Binding, Item, Itemset, ItemsetOutline
from resources.databases.pattern_facts.tables import TOPIC_SCOPE
from resources.foundation import strict_json
from resources.settings.demand import OutputMode

FREQUENT_ITEMSETS = "get_frequent_itemsets"
ITEMSET_DETAIL = "get_itemset_detail"
SCORE_TOPN = "get_weight_score_topn"
SCORE_BY_NAME = "get_weight_score_by_name"
ALWAYS = (FREQUENT_ITEMSETS, ITEMSET_DETAIL, CREATE_ONE, CREATE_MANY)
LOCAL_ONLY = (SCORE_TOPN, SCORE_BY_NAME)
MAX_NAMES_AN_ITEM = 3
MAX_SCORES = 50
DEFAULT_SCORES = 10
MAX_OFFSET = 999_999_999
_SHOWN_LEFT_OUT = 50
_IDENTIFIER: TypeAdapter[int] = TypeAdapter(Identifier)


def tool_names(mode: OutputMode) -> tuple[str, ...]:
    """The tools that are registered with the model in a mode, and no others (D-013)."""
    return ALWAYS + LOCAL_ONLY if mode == "local_json" else ALWAYS


class WrongArguments(ValueError):
    """The arguments of a read tool are not what it takes; the text is for the model."""


@dataclass(frozen=True, kw_only=True)
class FactTools:
    """Read tools over one execution.

    Args:
        max_itemsets: itemsets in one answer at the most.
        max_posts: posts an itemset in one answer at the most.
    """

    facts: FactsDatabase
    execution_id: int
    weights: WeightScores
    max_itemsets: int
    max_posts: int

    def answer(self, tool: str, arguments: str) -> dict[str, Any]:
        """The answer of a read tool to the arguments as the model wrote them.

        Raises:
            FactsUnreadable: the facts could not be read.
        """
        answers = {
            FREQUENT_ITEMSETS: self._frequent_itemsets,
            ITEMSET_DETAIL: self._itemset_detail,
            SCORE_TOPN: self._score_topn,
            SCORE_BY_NAME: self._score_by_name,
        }
        try:
            return answers[tool](_parse(arguments))
        except WrongArguments as error:
            return {"error": str(error)}

    def _frequent_itemsets(self, arguments: dict[str, Any]) -> dict[str, Any]:
        offset = _whole_number(arguments, "offset", 0)
        wanted = _category(arguments.get("category"))
        with self.facts.snapshot() as snapshot:
            outlines = list_topic_itemsets(snapshot, self.execution_id)
        fitting = [o for o in outlines if wanted is None or _lies_under(o, wanted)]
        ranked = sorted(fitting, key=lambda o: (-(o.absolute_support or 0), o.id))
        page = ranked[offset : offset + self.max_itemsets]
        left_out = max(len(ranked) - offset - len(page), 0)
        return {
            "execution_id": self.execution_id,
            "total": len(ranked),
            "offset": offset,
            "itemsets": [_itemset(outline, outline.items) for outline in page],
            "left_out": left_out,
            "next_offset": offset + len(page) if left_out else None,
        }

    def _itemset_detail(self, arguments: dict[str, Any]) -> dict[str, Any]:
        ids, refused = _identifiers(arguments.get("itemset_ids"))
        asked, left_out = ids[: self.max_itemsets], ids[self.max_itemsets :]
        with self.facts.snapshot() as snapshot:
            known = read_itemsets(snapshot, asked)
            own = [i for i in asked if i in known and self._is_offered(known[i])]
            items = read_items(snapshot, own)
            posts = {i: found.post_ids for i, found in read_posts(snapshot, own).items()}
            best = choose_source_posts(snapshot, self.execution_id, own)
            offered = {i: _best_first(posts.get(i, []), best.get(i))[: self.max_posts] for i in own}
            pairs = [(i, post) for i in own for post in offered[i]]
            bindings = read_bindings(snapshot, self.execution_id, pairs)
        refused += [
            {"itemset_id": i, "error": f"不是执行 {self.execution_id} 的选题项集"} for i in asked if i not in own
        ]
        return {
            "execution_id": self.execution_id,
            "itemsets": [
                _itemset(known[i], items.get(i, []))
                | {
                    "posts": [_post(post, items.get(i, []), bindings.get((i, post), [])) for post in offered[i]],
                    "posts_left_out": len(posts.get(i, [])) - len(offered[i]),
                }
                for i in own
            ],
            "refused": refused[:_SHOWN_LEFT_OUT],
            "left_out": len(left_out),
            "left_out_itemset_ids": left_out[:_SHOWN_LEFT_OUT],
        }

    def _score_topn(self, arguments: dict[str, Any]) -> dict[str, Any]:
        asked = _whole_number(arguments, "n", DEFAULT_SCORES)
        scores = self._named_scores(arguments)
        ranked = sorted(scores, key=lambda row: (-row["score"], str(row["name"])))
        shown = ranked[: min(asked, MAX_SCORES)]
        return {"scores": shown, "left_out": len(ranked) - len(shown)}

    def _score_by_name(self, arguments: dict[str, Any]) -> dict[str, Any]:
        names = arguments.get("names")
        if isinstance(names, str | int) and not isinstance(names, bool):
            names = [names]
        if not isinstance(names, list):
            raise WrongArguments("names：应为名称列表")
        wanted = list(dict.fromkeys(normal_form(str(name)) for name in names))
        shown = set(wanted[:MAX_SCORES])
        scores = self._named_scores(arguments)
        found = [row for row in scores if shown & {normal_form(str(row["name"])), str(row.get("category_id"))}]
        known = {form for row in found for form in (normal_form(str(row["name"])), str(row.get("category_id")))}
        return {
            "scores": found[:MAX_SCORES],
            "unknown": sorted(shown - known),
            "left_out": len(wanted) - len(shown) + max(len(found) - MAX_SCORES, 0),
        }

    def _named_scores(self, arguments: dict[str, Any]) -> list[dict[str, Any]]:
        """All scores of a kind."""
        kind = arguments.get("kind")
        if kind == "element":
            return [{"name": name, "score": score} for name, score in self.weights.elements.items()]
        if kind != "category":
            raise WrongArguments("kind：应为 element 或 category")
        with self.facts.snapshot() as snapshot:
            names = read_category_names(snapshot, self.execution_id)
        return [
            {"category_id": key, "name": names.get(key), "score": score}
            for key, score in self.weights.categories.items()
        ]

    def _is_offered(self, itemset: Itemset) -> bool:
        return itemset.execution_id == self.execution_id and itemset.scope == TOPIC_SCOPE


def _parse(arguments: str) -> dict[str, Any]:
    try:
        value = strict_json.loads(arguments) if arguments.strip() else {}
        if isinstance(value, str):  # encoded as JSON twice (LM15)
            value = strict_json.loads(value)
    except strict_json.JsonRefused as error:
        raise WrongArguments(f"参数不是严格的 JSON：{error.message}") from None
    if not isinstance(value, dict):
        raise WrongArguments("参数应为 JSON 对象")
    return value


def _whole_number(arguments: dict[str, Any], name: str, default: int) -> int:
    value = arguments.get(name)
    if value is None:
        return default
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 9:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_OFFSET:
        raise WrongArguments(f"{name}：应为 0 到 {MAX_OFFSET} 的整数")
    return value


def _identifiers(value: object) -> tuple[list[int], list[dict[str, Any]]]:
    """Ids that have the form of one, each once, and an error text for each that has not (D-011, LM6)."""
    given = _list_in_text(value) if isinstance(value, str) else value
    given = given if isinstance(given, list) else [given]
    ids: dict[int, None] = {}
    refused = []
    for one in given:
        try:
            ids[_IDENTIFIER.validate_python(one)] = None
        except ValidationError:
            refused.append({"itemset_id": str(one)[:40], "error": "编号应为整数或数字字符串"})
    return list(ids), refused


def _list_in_text(value: str) -> object:
    """A list that was written as a text is the list (LM15); any other text is itself."""
    try:
        return strict_json.loads(value) if value.lstrip().startswith("[") else value
    except strict_json.JsonRefused:
        return value


def _category(value: object) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, str | int) and not isinstance(value, bool):
        return normal_form(str(value))
    raise WrongArguments("category：应为分类编号或名称")


def _lies_under(outline: ItemsetOutline, wanted: str) -> bool:
    return any(wanted in _category_words(item) for item in outline.items)


def _category_words(item: Item) -> set[str]:
    words: Iterable[str] = (
        item.category_name or "",
        *(item.category_full_path or item.category_path or "").split("/"),
    )
    return {str(item.category_id), *(normal_form(word) for word in words if word)}


def _best_first(post_ids: list[str], best: str | None) -> list[str]:
    return [best, *(post for post in post_ids if post != best)] if best in post_ids and best else post_ids


def _itemset(itemset: Itemset | ItemsetOutline, items: Iterable[Item]) -> dict[str, Any]:
    return {
        "itemset_id": itemset.id,
        "support": itemset.support,
        "absolute_support": itemset.absolute_support,
        "items": [_item(item) for item in items],
    }


def _item(item: Item) -> dict[str, Any]:
    return {
        "itemset_item_id": item.id,
        "category_id": item.category_id,
        "category_name": item.category_name,
        "category_path": item.category_full_path or item.category_path,
        "point_type": item.point_type,
        "dimension": item.dimension,
        "element_name": item.element_name,
    }


def _post(post_id: str, items: list[Item], bindings: list[Binding]) -> dict[str, Any]:
    names: dict[int, list[str]] = {item.id: [] for item in items}
    for binding in bindings:
        names[binding.itemset_item_id].append(binding.element_name)
    return {
        "post_id": post_id,
        "usable_as_source": bool(names) and all(names.values()),
        "bound_element_names": {str(item_id): found[:MAX_NAMES_AN_ITEM] for item_id, found in names.items()},
    }
