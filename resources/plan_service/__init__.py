"""The plan service over HTTP: create, find, bind; one operation id a plan (S-028)."""
