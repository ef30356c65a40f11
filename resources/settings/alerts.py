"""Where alerts go; nowhere unless it is said."""

from __future__ import annotations

from urllib.parse import urlsplit

from pydantic import Field, SecretStr

from resources.foundation.errors import SettingsError
from resources.settings.reading import Environment, read

WEBHOOK = "PATTERN2PLAN_ALERT_WEBHOOK"


class AlertSettings(Environment):
    """The address of the webhook, which may be a secret."""

    webhook: SecretStr | None = Field(default=None, validation_alias=WEBHOOK)


def read_alert_settings() -> AlertSettings:
    """The environment as :class:`AlertSettings`.

    Raises:
        SettingsError: what is named is no address.
    """
    settings = read(AlertSettings, "https://…")
    if settings.webhook is not None and not _is_address(settings.webhook.get_secret_value()):
        raise SettingsError(f"environment variable {WEBHOOK} is no http or https address", "https://…")
    return settings


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
