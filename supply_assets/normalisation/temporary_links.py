"""What stands for an article that is known only by a link which expires (WX4)."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from resources.links.articles import UnreadableUrl
from supply_assets.normalisation.texts import display, key


def temporary_identity(title: str, account: str | None, publish_time: datetime | None) -> str:
    """SHA-256 (hex) that stands for an article known only by an expiring link: its title, account and time (WX4).

    Title and account count by their keys, the time by its second in UTC (``None``: unknown).

    Raises:
        UnreadableUrl: nothing of the title is visible, so nothing names the article.
    """
    name = key(title) or display(title)
    if not name:
        raise UnreadableUrl("an expiring link without a visible title names no article", "resolve the link first")
    moment = publish_time.astimezone(UTC).isoformat(timespec="seconds") if publish_time else ""
    return hashlib.sha256("\n".join(("temporary", name, key(account), moment)).encode()).hexdigest()
