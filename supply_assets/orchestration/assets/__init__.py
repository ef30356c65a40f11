"""The Dagster assets of the supply location, one module a family. Thin: read, advance the tasks, report."""
