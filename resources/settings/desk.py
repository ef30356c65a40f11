"""Who may sit at the review desk, and how they are known."""

from __future__ import annotations

import ipaddress
import re

from pydantic import Field, SecretStr, field_validator

from resources.foundation.errors import SettingsError
from resources.settings.reading import Environment, read

TOKEN, USER_HEADER = "PATTERN2PLAN_DESK_TOKEN", "PATTERN2PLAN_DESK_USER_HEADER"
ADDRESS = "PATTERN2PLAN_DESK_URL"
PROXIES, HOSTS = "PATTERN2PLAN_DESK_TRUSTED_PROXIES", "PATTERN2PLAN_DESK_HOSTS"
SHORTEST_TOKEN = 16
_HOST_NAME = re.compile(r"(\*\.)?[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\]")


class DeskAddress(Environment):
    """Where people reach the desk with a browser, for links that lead to it; none where it is not said."""

    url: str | None = Field(default=None, validation_alias=ADDRESS, pattern=r"^https?://[^\s?#]+$")

    def report_link(self, batch: str) -> str | None:
        """The address of a batch's report."""
        return None if self.url is None else f"{self.url.rstrip('/')}/reports/{batch}"


def read_desk_address() -> DeskAddress:
    """The environment as :class:`DeskAddress`.

    Raises:
        SettingsError: what is named is no address.
    """
    return read(DeskAddress)


class DeskSettings(Environment):
    """A token that people type in, or the header in which a proxy names them; lists are separated by commas."""

    token: SecretStr | None = Field(default=None, validation_alias=TOKEN, min_length=SHORTEST_TOKEN)
    user_header: str | None = Field(default=None, validation_alias=USER_HEADER, pattern=r"^[A-Za-z][A-Za-z0-9-]*$")
    proxies: str = Field(default="127.0.0.1,::1", validation_alias=PROXIES)
    hosts: str = Field(default="", validation_alias=HOSTS)

    @field_validator("proxies")
    @classmethod
    def _are_addresses(cls, value: str) -> str:
        for part in value.split(","):
            ipaddress.ip_address(part.strip())
        return value

    @field_validator("hosts")
    @classmethod
    def _are_names(cls, value: str) -> str:
        for part in filter(None, map(str.strip, value.split(","))):
            if not _HOST_NAME.fullmatch(part):
                raise ValueError(f"{part!r} is no host name: desk.example.org or *.example.org, without a port")
        return value

    @property
    def trusted_proxies(self) -> frozenset[str]:
        """Addresses that may name a user."""
        return frozenset(str(ipaddress.ip_address(part.strip())) for part in self.proxies.split(",") if part.strip())

    @property
    def host_names(self) -> list[str]:
        """Names by which the desk may be asked for, beside those of the loopback address."""
        return [part.strip().lower() for part in self.hosts.split(",") if part.strip()]


def read_desk_settings() -> DeskSettings:
    """The environment as :class:`DeskSettings`.

    Raises:
        SettingsError: a variable is malformed, or neither a token nor a header is named: the desk stays closed.
    """
    settings = read(DeskSettings)
    if settings.token is None and settings.user_header is None:
        raise SettingsError(
            "nobody could be told from anybody at the review desk",
            f"set {TOKEN} ({SHORTEST_TOKEN} characters or more), or {USER_HEADER} behind a proxy that signs people in",
        )
    return settings
