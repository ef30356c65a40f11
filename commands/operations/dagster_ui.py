"""``make ui``: the Dagster UI and daemon on this machine, on the home that the demo uses unless one is named."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from commands.operations.dagster_home import write_local_instance
from resources.foundation.interrupts import obey
from resources.settings.demand import read_settings

WORKSPACE = Path(__file__).resolve().parents[2] / "workspace.yaml"


def main() -> None:
    """Replace this process by ``dagster dev`` on the loopback address; SIGTERM and SIGINT end it and its servers."""
    obey()
    if "DAGSTER_HOME" not in os.environ:
        home = (read_settings().home / "dagster").resolve()
        write_local_instance(home)
        os.environ["DAGSTER_HOME"] = str(home)
    arguments = ["dagster", "dev", "--workspace", str(WORKSPACE), "--host", "127.0.0.1", *sys.argv[1:]]
    os.execv(str(Path(sys.executable).parent / "dagster"), arguments)


if __name__ == "__main__":
    main()
