"""Entry point of the source: one existing execution into demand_content alone (D-063); flags as ``demand run``."""

from __future__ import annotations

import sys

from demand_assets.run.command import run_existing_execution

if __name__ == "__main__":
    sys.exit(run_existing_execution("mysql_demand_content"))
