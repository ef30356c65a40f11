"""URLs of databases: a DSN in any form, a group of variables, or an embedded SQLite file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict
from pydantic import SecretStr
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from resources.foundation.errors import SettingsError
from resources.foundation.secret_files import variable

_DRIVERS = {
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "mysql": "mysql+pymysql",
    "mariadb": "mysql+pymysql",
}


def embedded_url(file: Path) -> URL:
    """URL of a database that is one file and needs no server."""
    return URL.create("sqlite", database=str(file))


def store_url(dsn: SecretStr | None, name: str, groups: Sequence[str], embedded: Path) -> URL:
    """URL of a store: its DSN, else the first variable group that is set, else the embedded file.

    Raises:
        SettingsError: the DSN is not one, or half a group is set.
    """
    if dsn is not None:
        return parse_dsn(dsn.get_secret_value(), name)
    for prefix in groups:
        if os.environ.get(f"{prefix}_HOST"):
            return _mysql_of_group(prefix)
    return embedded_url(embedded)


def parse_dsn(dsn: str, name: str) -> URL:
    """SQLAlchemy URL of a DSN: any URL form, or libpq's ``key=value`` form for PostgreSQL.

    Raises:
        SettingsError: the text is not a DSN; its value is never repeated.
    """
    if "://" not in dsn:
        return _postgres_of_conninfo(dsn, name)
    try:
        url = make_url(dsn)
    except (ArgumentError, ValueError):
        raise _no_url(name) from None
    if "+" not in url.drivername:
        url = url.set(drivername=_DRIVERS.get(url.drivername, url.drivername))
    if url.get_backend_name() in ("mysql", "mariadb"):
        url = url.update_query_dict({"charset": "utf8mb4"})
    if url.get_backend_name() == "sqlite" and url.database and not Path(url.database).absolute().parent.is_dir():
        raise SettingsError(f"{name} names a file in a folder that is not there", "make it, or mend the path")
    return url


def _no_url(name: str) -> SettingsError:
    return SettingsError(f"{name} is not a database URL", "use driver://user@host:port/database")


def _postgres_of_conninfo(dsn: str, name: str) -> URL:
    try:
        parts = conninfo_to_dict(dsn)
    except ProgrammingError:
        raise _no_url(name) from None
    known = {key: parts.pop(key, None) for key in ("host", "port", "user", "password", "dbname")}
    text = {key: str(value) for key, value in known.items() if value is not None}
    port = text.get("port")
    if port is not None and not (port.isascii() and port.isdigit()):
        raise SettingsError(f"the port in {name} is not a number", "use port=5432")
    return URL.create(
        "postgresql+psycopg",
        username=text.get("user"),
        password=text.get("password"),
        host=text.get("host"),
        port=int(port) if port else None,
        database=text.get("dbname"),
        query={key: str(value) for key, value in parts.items() if value is not None},
    )


def _mysql_of_group(prefix: str) -> URL:
    """URL of the variables ``PREFIX_{HOST,PORT,USER,PASSWORD,DATABASE}``."""
    port = os.environ.get(f"{prefix}_PORT") or "3306"
    if not (port.isascii() and port.isdigit()):
        raise SettingsError(f"environment variable {prefix}_PORT is not a number")
    database = os.environ.get(f"{prefix}_DATABASE")
    if not database:
        raise SettingsError(f"{prefix}_HOST is set but {prefix}_DATABASE is not", "set it")
    return URL.create(
        "mysql+pymysql",
        username=os.environ.get(f"{prefix}_USER"),
        password=variable(f"{prefix}_PASSWORD"),
        host=os.environ[f"{prefix}_HOST"],
        port=int(port),
        database=database,
        query={"charset": "utf8mb4"},
    )
