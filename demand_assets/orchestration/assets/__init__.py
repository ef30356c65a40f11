"""The Dagster assets of the demand location, one module a family. Thin: read, call the domain, write, report."""
