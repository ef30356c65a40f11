"""What the model is told of each tool: description and JSON Schema of the arguments (D-013)."""

from __future__ import annotations

from typing import Any, NamedTuple


class ToolSchema(NamedTuple):
    """Description and arguments of one tool."""

    description: str
    arguments: dict[str, Any]


def _object(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required}


_INTEGERS = {"type": "array", "items": {"type": "integer"}}
_STRINGS = {"type": "array", "items": {"type": "string"}}
_KIND = {"type": "string", "enum": ["element", "category"], "description": "元素或分类"}

_EVIDENCE = _object(
    {
        "source_kind": {"type": "string", "enum": ["pattern_itemset"]},
        "source_tool": {"type": "string", "enum": ["get_itemset_detail"]},
        "itemset_ids": {**_INTEGERS, "description": "恰好一个项集编号"},
        "category_ids": {**_INTEGERS, "description": "该项集各项的分类编号"},
        "source_post_id": {"type": "string", "description": "该项集匹配到的一篇帖子"},
        "case_ids": {
            "type": "object",
            "properties": {"pattern_itemset": _STRINGS},
            "description": "佐证帖子，均须为该项集匹配到的帖子",
        },
        "seed_terms": {**_STRINGS, "description": "检索种子词，只用证据里出现过的词"},
        "notes": {"type": "string"},
    },
    ["itemset_ids", "source_post_id"],
)
_CANDIDATE = _object(
    {
        "element_names": {**_STRINGS, "minItems": 1, "description": "需求名称所用的词，只用证据里出现过的词"},
        "reason": {"type": "string", "description": "为什么提出这个需求"},
        "desc": {"type": "string", "description": "需要什么样的内容"},
        "type": {"type": "string"},
        "evidence_refs": _EVIDENCE,
    },
    ["element_names", "reason", "desc", "evidence_refs"],
)

TOOL_SCHEMAS: dict[str, ToolSchema] = {
    "get_frequent_itemsets": ToolSchema(
        "按支持度从高到低列出本次执行的选题项集；left_out 说明还有多少未列出，next_offset 是下一页的起点。",
        _object(
            {
                "offset": {"type": "integer", "minimum": 0, "description": "从第几个开始，默认 0"},
                "category": {
                    "type": "string",
                    "description": "只看含此分类的项集：分类编号，或分类路径上任一级的名称",
                },
            },
            [],
        ),
    ),
    "get_itemset_detail": ToolSchema(
        "给出项集的各项、支持度、匹配到的帖子，以及每篇帖子里各项绑定的元素名。",
        _object({"itemset_ids": _INTEGERS}, ["itemset_ids"]),
    ),
    "create_demand_item": ToolSchema("提交一条候选需求。", _CANDIDATE),
    "create_demand_items": ToolSchema(
        "一次提交多条候选需求；没有可提的需求时提交空列表。",
        _object({"demands": {"type": "array", "items": _CANDIDATE}}, ["demands"]),
    ),
    "get_weight_score_topn": ToolSchema(
        "权重分最高的元素或分类。",
        _object({"kind": _KIND, "n": {"type": "integer", "minimum": 1, "description": "几个，默认 10"}}, ["kind"]),
    ),
    "get_weight_score_by_name": ToolSchema(
        "按名称查元素或分类的权重分；分类也可用编号查。",
        _object({"kind": _KIND, "names": _STRINGS}, ["kind", "names"]),
    ),
}
