"""Who may propose candidates: rules, an agent, a file. Nothing here decides; nothing here knows Dagster."""
