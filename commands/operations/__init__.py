"""Commands for whoever runs the product: databases, services, backfills, automation, metrics."""
