"""The webhook: one POST an alert, repeated a few times, under a key by which a receiver knows a repetition."""

from __future__ import annotations

from typing import Self

import httpx2
import stamina
from pydantic import SecretStr

from resources.alerts.message import Alert
from resources.calls.direct_loopback import direct_mounts
from resources.foundation.errors import ServiceUnreachable
from resources.foundation.secret_masking import SecretMask
from resources.settings.alerts import WEBHOOK, read_alert_settings

TIMEOUT_S, CONNECT_TIMEOUT_S = 5, 2
TRIES = 3
_PASSING = frozenset({408, 425, 429})


class AlertNotTaken(ServiceUnreachable):
    """The webhook did not take an alert; its address, which may be a secret, is not repeated.

    ``passing``: whether the same may be taken when it is sent again at once.
    """

    def __init__(self, message: str, *, passing: bool) -> None:
        super().__init__(message, f"check {WEBHOOK}")
        self.passing = passing


class AlertWebhook:
    """Takes alerts one by one."""

    def __init__(self, address: SecretStr) -> None:
        self._address = address
        self._mask = SecretMask.of_environment()
        self._client = httpx2.Client(
            timeout=httpx2.Timeout(TIMEOUT_S, connect=CONNECT_TIMEOUT_S), mounts=direct_mounts()
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def send(self, alert: Alert) -> None:
        """Deliver one alert; three tries where a further one may help. What may be a secret in it leaves as ``***``.

        Raises:
            AlertNotTaken: nobody answered, or the answer was no success.
        """
        for attempt in stamina.retry_context(on=_is_passing, attempts=TRIES, timeout=None, wait_initial=0.2):
            with attempt:
                self._post(alert)

    def _post(self, alert: Alert) -> None:
        headers = {"Idempotency-Key": f"{alert.key}-{alert.run_id}"}
        body = self._mask(None, "", alert.model_dump(mode="json", exclude_none=True))
        try:
            # The answer's body is of no use and may be of any size: it is not read.
            with self._client.stream("POST", self._address.get_secret_value(), json=body, headers=headers) as reply:
                status = reply.status_code
        except httpx2.InvalidURL:
            raise AlertNotTaken("the alert webhook is no address", passing=False) from None
        except httpx2.HTTPError as error:
            raise AlertNotTaken(f"the alert webhook does not answer: {type(error).__name__}", passing=True) from None
        if not 200 <= status < 300:
            passing = status >= 500 or status in _PASSING
            raise AlertNotTaken(f"the alert webhook answered {status}", passing=passing)


def _is_passing(error: Exception) -> bool:
    return isinstance(error, AlertNotTaken) and error.passing


def open_webhook() -> AlertWebhook | None:
    """The webhook that is named, to be closed after use; ``None`` where none is.

    Raises:
        SettingsError: what is named is no address.
    """
    address = read_alert_settings().webhook
    return None if address is None else AlertWebhook(address)
