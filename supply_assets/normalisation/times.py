"""Publish times as they arrive, read into UTC instants (S-022, WX10).

Texts without a zone are the platform's own and mean Asia/Shanghai; a time that is only a day is that day's start
there, so that a coarse time never looks fresher than an exact one.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from email.utils import parsedate_to_datetime

from resources.foundation.clock import SHANGHAI
from supply_assets.normalisation.texts import fold

PLATFORM_START = datetime(2011, 1, 1, tzinfo=UTC)
SLACK = timedelta(days=1)
"""How far ahead of ``now`` a time may lie: clocks and unknown zones differ by less than a day."""

MISSING = "missing"
ZERO = "zero"
NOT_A_TIME = "not a time"
BEFORE_PLATFORM = "before the platform existed"
IN_FUTURE = "in the future"

_NUMBER = re.compile(r"[+-]?\d{1,20}(?:\.\d+)?", re.ASCII)
_COMPACT = re.compile(r"(20\d\d)(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?", re.ASCII)
_CLOCK = (
    r"(?P<half>上午|下午|凌晨|中午|晚上)?\s*(?P<hour>\d{1,2})[:时点](?P<minute>\d{1,2})分?"
    r"(?::?(?P<second>\d{1,2})秒?(?:[.,]\d+)?)?"
)
_ZONE = r"(?P<zone>z|utc|gmt|(?:utc|gmt)?\s*[+-]\d{1,2}(?::?\d{2})?)"
_WRITTEN = re.compile(
    r"(?:(?:(?P<year>\d{4})\s*[-/.年]\s*)?(?P<month>\d{1,2})\s*[-/.月]\s*(?P<day>\d{1,2})\s*[日号]?|(?P<word>今天|昨天|前天))?"
    rf"(?:\s*t?\s*{_CLOCK}\s*{_ZONE}?)?",
    re.ASCII,
)
_AGO = re.compile(
    r"(?P<amount>\d{1,5}|半|[一二两三四五六七八九十])\s*个?(?P<unit>秒钟?|分钟|小时|天|日|周|星期|月|年)[之以]?前"
)

_AMOUNTS = {"半": 0.5, "两": 2.0} | {digit: float(place) for place, digit in enumerate("一二三四五六七八九十", start=1)}
_UNITS = {
    "秒": timedelta(seconds=1),
    "秒钟": timedelta(seconds=1),
    "分钟": timedelta(minutes=1),
    "小时": timedelta(hours=1),
    "天": timedelta(days=1),
    "日": timedelta(days=1),
    "周": timedelta(weeks=1),
    "星期": timedelta(weeks=1),
    "月": timedelta(days=30),
    "年": timedelta(days=365),
}
_DAYS_BACK = {"今天": 0, "昨天": 1, "前天": 2}
_AFTERNOON = ("下午", "晚上", "中午")


@dataclass(frozen=True, slots=True)
class ReadTime:
    """An instant in UTC, or ``None`` with the ``reason``; ``zone_known`` is false where Shanghai was assumed."""

    instant: datetime | None
    zone_known: bool
    reason: str | None


def read_time(raw: int | float | str | None, *, now: datetime) -> ReadTime:
    """``raw`` as an instant: epoch seconds, milliseconds or microseconds, or one of the texts the platform writes.

    Texts: digits, ``2023-11-15 06:13[:22]`` (also with ``/``, ``.``, 年月日), the same with a zone (``Z``, ``+08:00``,
    ``UTC+8``), RFC 5322 dates, ``11月15日`` (the latest such day that is not ahead of ``now``), 今天/昨天/前天 with or
    without a time of day, ``3小时前`` and its like, 刚刚. ``now`` must carry a zone. Nothing, 0, times before 2011 and
    times more than a day ahead of ``now`` come back without an instant, with the reason.

    Raises:
        ValueError: ``now`` has no zone.
    """
    if now.tzinfo is None:
        raise ValueError("now has no zone")
    if raw is None or isinstance(raw, bool):
        return _unknown(MISSING if raw is None else NOT_A_TIME)
    if isinstance(raw, int | float):
        return _epoch(raw, now)
    text = fold(raw[:100])
    if not text:
        return _unknown(MISSING)
    try:
        return _text(text, now)
    except (ValueError, OverflowError):
        return _unknown(NOT_A_TIME)


def _text(text: str, now: datetime) -> ReadTime:
    compact = _COMPACT.fullmatch(text)
    if compact:
        year, month, day, hour, minute, second = (int(part) for part in compact.groups(default="0"))
        return _bounded(datetime(year, month, day, hour, minute, second, tzinfo=SHANGHAI), now, zone_known=False)
    if _NUMBER.fullmatch(text):
        return _epoch(float(text) if "." in text else int(text), now)
    if text in ("刚刚", "刚才"):
        return _bounded(now, now, zone_known=True)
    ago = _AGO.fullmatch(text)
    if ago:
        amount = _AMOUNTS.get(ago["amount"]) or float(ago["amount"])
        return _bounded(now - amount * _UNITS[ago["unit"]], now, zone_known=True)
    written = _WRITTEN.fullmatch(text)
    if written:
        return _written(written, now)
    return _bounded(parsedate_to_datetime(text), now, zone_known=True)


def _written(parts: re.Match[str], now: datetime) -> ReadTime:
    zone = _zone(parts["zone"])
    place = zone or SHANGHAI
    day = _day(parts, now.astimezone(place))
    moment = datetime.combine(day, _time_of_day(parts), tzinfo=place)
    return _bounded(moment, now, zone_known=zone is not None)


def _day(parts: re.Match[str], here: datetime) -> date:
    if parts["month"] is None:
        return here.date() - timedelta(days=_DAYS_BACK[parts["word"] or "今天"])
    month, day = int(parts["month"]), int(parts["day"])
    if parts["year"]:
        return date(int(parts["year"]), month, day)
    for year in range(here.year, here.year - 9, -1):  # a 29 February lies at most eight years back
        leap = date(2000, month, day)  # raises for a day that no year has
        if (month, day) == (2, 29) and not _is_leap(year):
            continue
        if leap.replace(year=year) <= here.date():
            return leap.replace(year=year)
    raise ValueError("no such day")


def _is_leap(year: int) -> bool:
    return date(year, 3, 1) - date(year, 2, 28) == timedelta(days=2)


def _time_of_day(parts: re.Match[str]) -> time:
    if parts["hour"] is None:
        return time()
    hour = int(parts["hour"])
    if parts["half"] in _AFTERNOON and hour < 11:
        hour += 12
    return time(hour, int(parts["minute"]), int(parts["second"] or 0))


def _zone(text: str | None) -> tzinfo | None:
    if not text:
        return None
    sign = re.search(r"([+-])(\d{1,2}):?(\d{2})?$", text)
    if not sign:
        return UTC
    offset = timedelta(hours=int(sign[2]), minutes=int(sign[3] or 0))
    return timezone(offset if sign[1] == "+" else -offset)


def _epoch(value: int | float, now: datetime) -> ReadTime:
    if isinstance(value, float) and not math.isfinite(value):
        return _unknown(NOT_A_TIME)
    if value == 0:
        return _unknown(ZERO)
    if value >= 10**17:
        return _unknown(IN_FUTURE)
    seconds = value
    while seconds >= 10**11:  # milliseconds, then microseconds
        seconds = seconds / 1000
    if seconds < PLATFORM_START.timestamp():
        return _unknown(BEFORE_PLATFORM)
    return _bounded(datetime.fromtimestamp(seconds, UTC), now, zone_known=True)


def _bounded(moment: datetime, now: datetime, *, zone_known: bool) -> ReadTime:
    if moment.tzinfo is None:
        moment, zone_known = moment.replace(tzinfo=SHANGHAI), False
    instant = moment.astimezone(UTC)
    if instant < PLATFORM_START:
        return _unknown(BEFORE_PLATFORM)
    if instant > now + SLACK:
        return _unknown(IN_FUTURE)
    return ReadTime(instant, zone_known, None)


def _unknown(reason: str) -> ReadTime:
    return ReadTime(None, zone_known=False, reason=reason)
