"""Partitions of the demand location: one key an execution; ``resources.foundation.ids`` is the gate of every key."""

from __future__ import annotations

import dagster as dg

EXECUTIONS = dg.DynamicPartitionsDefinition(name="execution_id")
