"""The webhook: one POST an alert, repeated a few times, under a key by which a receiver knows a repetition."""

from __future__ import annotations

from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import httpx2
import stamina
from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from resources.alerts.message import Alert
from resources.errors import ServiceUnreachable, SettingsError
from resources.secret_files import secrets_folder

WEBHOOK = "PATTERN2PLAN_ALERT_WEBHOOK"
TIMEOUT_S = 5
TRIES = 3


class AlertNotTaken(ServiceUnreachable):
    """The webhook did not take an alert; its address, which may be a secret, is not repeated."""


class AlertSettings(BaseSettings):
    """Where alerts go; nowhere unless it is said."""

    model_config = SettingsConfigDict(env_ignore_empty=True, extra="ignore", hide_input_in_errors=True)

    webhook: SecretStr | None = Field(default=None, validation_alias=WEBHOOK)


class AlertWebhook:
    """Takes alerts one by one."""

    def __init__(self, address: SecretStr) -> None:
        self._address = address
        direct = dict.fromkeys(("all://127.0.0.1", "all://localhost", "all://[::1]"))
        self._client = httpx2.Client(timeout=TIMEOUT_S, mounts=direct)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def send(self, alert: Alert) -> None:
        """Deliver one alert; three tries.

        Raises:
            AlertNotTaken: nobody answered, or the answer was no success.
        """
        for attempt in stamina.retry_context(on=AlertNotTaken, attempts=TRIES, timeout=None, wait_initial=0.2):
            with attempt:
                self._post(alert)

    def _post(self, alert: Alert) -> None:
        headers = {"Idempotency-Key": f"{alert.key}-{alert.run_id}"}
        body = alert.model_dump(mode="json", exclude_none=True)
        try:
            reply = self._client.post(self._address.get_secret_value(), json=body, headers=headers)
        except httpx2.HTTPError as error:
            raise AlertNotTaken(
                f"the alert webhook does not answer: {type(error).__name__}", f"check {WEBHOOK}"
            ) from None
        if not reply.is_success:
            raise AlertNotTaken(f"the alert webhook answered {reply.status_code}", f"check {WEBHOOK}")


def open_webhook() -> AlertWebhook | None:
    """The webhook that is named, to be closed after use; ``None`` where none is.

    Raises:
        SettingsError: what is named is no address.
    """
    try:
        settings = AlertSettings(_secrets_dir=secrets_folder())
    except ValidationError:
        raise SettingsError(f"environment variable {WEBHOOK} is not a text", "https://…") from None
    if settings.webhook is None:
        return None
    address = urlsplit(settings.webhook.get_secret_value())
    if address.scheme not in ("http", "https") or not address.hostname:
        raise SettingsError(f"environment variable {WEBHOOK} is no http or https address", "https://…")
    return AlertWebhook(settings.webhook)
