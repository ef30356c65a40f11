"""Answers of endpoints that nearly speak the protocol: fields that carry no meaning here are filled in.

Filled in: ids, names, times, indexes and usage. Never touched: what the model said and which tools it called; arguments
that arrive decoded become text again, and a lone surrogate becomes the JSON escape that stands for it.
"""

from __future__ import annotations

from typing import Any

from openai.types import chat
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models.openai import OpenAIChatModel

from resources.foundation import strict_json

_TOKEN_FIELDS = ("prompt_tokens", "completion_tokens")


class TolerantChatModel(OpenAIChatModel):
    """A chat model for any endpoint whose answer has ``choices`` with a ``message``."""

    def _process_response(self, response: chat.ChatCompletion | str, **options: bool) -> ModelResponse:
        if isinstance(response, chat.ChatCompletion):
            completed = complete(response.model_dump(warnings=False), self.model_name)
            response = chat.ChatCompletion.model_validate(completed)
        return super()._process_response(response, **options)


def complete(answer: dict[str, Any], model_name: str) -> dict[str, Any]:
    """The answer with every field that the client library insists on.

    Raises:
        TypeError, KeyError, AttributeError: there is no ``choices`` list of objects with a ``message`` object.
    """
    choices = [_choice(place, choice) for place, choice in enumerate(answer["choices"])]
    return {
        **answer,
        "id": _text(answer.get("id")),
        "model": _text(answer.get("model")) or model_name,
        "object": "chat.completion",
        "created": answer["created"] if isinstance(answer.get("created"), int) else 0,
        "choices": choices,
        "usage": _usage(answer.get("usage")),
    }


def _choice(place: int, choice: dict[str, Any]) -> dict[str, Any]:
    message = dict(choice["message"])
    message["role"] = "assistant"
    if isinstance(message.get("content"), str):
        message["content"] = _text(message["content"])
    if message.get("tool_calls") is not None:
        message["tool_calls"] = [_tool_call(call) for call in message["tool_calls"]]
    reason = choice.get("finish_reason") or ("tool_calls" if message.get("tool_calls") else "stop")
    return {**choice, "index": place, "message": message, "finish_reason": reason}


def _tool_call(call: dict[str, Any]) -> dict[str, Any]:
    function = call["function"]
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        arguments = strict_json.dumps({} if arguments is None else arguments)
    return {
        **call,
        "id": _text(call.get("id")),
        "type": "function",
        "function": {"name": _text(function["name"]), "arguments": _text(arguments)},
    }


def _usage(usage: object) -> dict[str, int] | None:
    """Input and output tokens, or nothing where the endpoint reports no usable numbers."""
    if not isinstance(usage, dict):
        return None
    numbers = [usage.get(name) for name in _TOKEN_FIELDS]
    known = [number if isinstance(number, int) and number >= 0 else 0 for number in numbers]
    return {**dict(zip(_TOKEN_FIELDS, known, strict=True)), "total_tokens": sum(known)}


def _text(value: object) -> str:
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else ""
