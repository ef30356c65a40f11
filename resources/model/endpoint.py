"""The model endpoint: one OpenAI-compatible address, bounded in time and retries, whose every failure has a name.

Everything that goes over the network for the agent goes through here. Nothing is read from the environment but what
the HTTP client needs to reach the address (proxies, certificates).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

import httpx2
from openai import AsyncOpenAI
from openai._types import Omit
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelConnectionError,
    ModelHTTPError,
    ModelTimeoutError,
    UnexpectedModelBehavior,
)
from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponsePart, ToolCallPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings as RequestSettings

from resources.foundation.errors import ModelUnreachable, SettingsError
from resources.model.completion import AnswerBrokenOff, TolerantChatModel
from resources.model.failures import EndpointFailures
from resources.model.usage import Usage
from resources.settings.model_endpoint import ModelSettings

PROVIDER_NAME = "openai-compatible"
_SHORTEST_SECRET = 8


@dataclass(frozen=True)
class EndpointLimits:
    """Seconds and numbers that bound one model call.

    ``timeout_s`` bounds an attempt as a whole; ``max_retries`` follow on 429, 5xx, lost connections and answers
    that broke off, after what ``Retry-After`` says but never longer than ``max_retry_wait_s``, or ``retry_wait_s``
    doubled each time.
    """

    timeout_s: float = 60
    connect_timeout_s: float = 5
    max_retries: int = 2
    retry_wait_s: float = 0.5
    max_retry_wait_s: float = 20


class ModelEndpoint:
    """Where the model answers, and its key, which is told to nobody else.

    Raises:
        SettingsError: the key or the address cannot be sent as they are; the value is not repeated.
    """

    def __init__(self, settings: ModelSettings) -> None:
        self.model_name = settings.name
        self.prefix = settings.source.removesuffix("_MODEL")
        self._key = settings.api_key.get_secret_value()
        self._url = settings.base_url
        if not self._key.isascii() or not self._key.isprintable() or " " in self._key:
            raise SettingsError(f"{self.prefix}_API_KEY holds a blank or a character that no key has", "set it anew")
        try:
            parts = urlsplit(settings.base_url)
            usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            usable = False
        if not usable:
            raise SettingsError(f"{self.prefix}_BASE_URL is not an address", "use http(s)://host[:port]/path")
        user, at, host = parts.netloc.rpartition("@")
        self.address = f"{parts.scheme}://{host}{parts.path}"
        self._hidden = {user + at: "", f"?{parts.query}" if parts.query else "": ""}
        if len(self._key) >= _SHORTEST_SECRET:
            self._hidden[self._key] = "[key]"
        self.failures = EndpointFailures(self.prefix, self.address, self.hide)

    def hide(self, text: str) -> str:
        """The text without the key, and without what the address holds before its host and after its path."""
        for secret, shown in self._hidden.items():
            text = text.replace(secret, shown) if secret else text
        return text

    def client(self, http_client: httpx2.AsyncClient) -> AsyncOpenAI:
        """The client of the address; organization and project of some other account are not sent."""
        unsent = {"OpenAI-Organization": Omit(), "OpenAI-Project": Omit()}
        return AsyncOpenAI(
            base_url=self._url,
            api_key=self._key,
            max_retries=0,
            http_client=http_client,
            default_headers=unsent,  # type: ignore[arg-type]
        )


_Repeatable = ModelHTTPError | ModelConnectionError | AnswerBrokenOff


class BoundedModel(WrapperModel):
    """A chat model that counts its calls, retries within bounds and hands out each tool-call id once.

    Args:
        on_repeated_id: told of a tool call whose id was used in the same answer for a different call.

    Raises:
        ModelUnreachable: from ``request``, whatever went wrong.
    """

    def __init__(
        self,
        wrapped: TolerantChatModel,
        endpoint: ModelEndpoint,
        limits: EndpointLimits,
        on_repeated_id: Callable[[ToolCallPart], None],
    ) -> None:
        super().__init__(wrapped)
        self.spent = Usage()
        self.answered = 0
        self._endpoint = endpoint
        self._limits = limits
        self._on_repeated_id = on_repeated_id

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: RequestSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        self.spent += Usage(calls=1)
        retries = 0
        while True:
            try:
                async with asyncio.timeout(self._limits.timeout_s):
                    response = await self.wrapped.request(messages, model_settings, model_request_parameters)
                break
            except (TimeoutError, ModelTimeoutError):
                what = f"did not answer within {self._limits.timeout_s:g} s"
                raise self._endpoint.failures.unreachable(what) from None
            except (ModelHTTPError, ModelConnectionError, AnswerBrokenOff) as error:
                if retries == self._limits.max_retries or not _is_passing(error):
                    raise self._named(error) from None
                await asyncio.sleep(self._wait(error, retries))
                retries += 1
            except (ModelAPIError, UnexpectedModelBehavior, *_GARBAGE):
                raise self._endpoint.failures.off_protocol() from None
        return self._take(response)

    def _named(self, error: _Repeatable) -> ModelUnreachable:
        failures = self._endpoint.failures
        if isinstance(error, ModelHTTPError):
            return failures.http_error(error)
        if isinstance(error, AnswerBrokenOff):
            return failures.broken_off(str(error))
        return failures.unreachable("could not be reached or dropped the connection")

    def _wait(self, error: _Repeatable, retries: int) -> float:
        asked = None if isinstance(error, AnswerBrokenOff) else error.retry_after
        wait = self._limits.retry_wait_s * 2**retries if asked is None else max(asked, 0)
        return min(wait, self._limits.max_retry_wait_s)

    def _take(self, response: ModelResponse) -> ModelResponse:
        self.answered += 1
        self.spent += Usage(0, max(response.usage.input_tokens, 0), max(response.usage.output_tokens, 0))
        first: dict[str, tuple[str, object]] = {}
        parts: list[ModelResponsePart] = []
        for part in response.parts:
            if not isinstance(part, ToolCallPart):
                parts.append(part)
            elif part.tool_call_id not in first:
                first[part.tool_call_id] = (part.tool_name, part.args)
                parts.append(part)
            elif (part.tool_name, part.args) != first[part.tool_call_id]:
                self._on_repeated_id(part)
        return replace(response, parts=parts)


# What the client library lets through where a 200 answer has not the fields it relies on.
_GARBAGE = (AttributeError, IndexError, KeyError, TypeError, ValueError)


@asynccontextmanager
async def open_model(
    endpoint: ModelEndpoint, limits: EndpointLimits, on_repeated_id: Callable[[ToolCallPart], None]
) -> AsyncIterator[BoundedModel]:
    """A model whose connections live as long as the block; redirects are not followed."""
    timeout = httpx2.Timeout(limits.timeout_s, connect=limits.connect_timeout_s)
    async with httpx2.AsyncClient(timeout=timeout, follow_redirects=False) as http_client:
        provider = OpenAICompatibleProvider(PROVIDER_NAME, openai_client=endpoint.client(http_client))
        yield BoundedModel(TolerantChatModel(endpoint.model_name, provider=provider), endpoint, limits, on_repeated_id)


def _is_passing(error: _Repeatable) -> bool:
    """A failure that may be gone the next time: a lost connection, an answer that broke off, 408, 429, 5xx."""
    return not isinstance(error, ModelHTTPError) or error.status_code in (408, 429) or error.status_code >= 500
