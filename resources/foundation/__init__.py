"""What everything stands on: time, ids, errors, strict JSON, whole files, secrets, logs. It knows no other room."""
