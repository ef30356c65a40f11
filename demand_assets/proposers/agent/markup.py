"""Tool calls that a model wrote into its text because the endpoint does not turn them into ``tool_calls`` (LM14).

Only recognised here, in the forms that models are trained on; candidates inside are read like any other text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# DeepSeek's DSML and its older marks, GLM and Qwen, Hermes, Kimi, Mistral, Llama, MiniMax.
_MARKS = re.compile(
    r"<[|｜]\s*(?:DSML|tool[▁_ ]calls?|tool_calls_section|python_tag|action_start)"
    r"|</?(?:\w+:)?(?:tool_calls?|function_calls?|invoke|arg_key|arg_value)\b"
    r"|<(?:function|parameter|invoke)(?:=|\s+name=)"
    r"|\[TOOL_CALLS\]",
    re.IGNORECASE,
)


def holds_tool_call(text: str, tools: Sequence[str]) -> bool:
    """Whether the text holds a tool call: by one of the marks, or as JSON or a call with the name of a tool."""
    if _MARKS.search(text):
        return True
    names = "|".join(map(re.escape, tools))
    called = rf"\b(?:{names})\s*\(|\"(?:name|tool|tool_name|function|action)\"\s*:\s*\"(?:{names})\""
    return bool(names and re.search(called, text))
