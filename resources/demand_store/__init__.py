"""The demand store: the one table ``demand_content`` on MySQL, MariaDB or embedded SQLite.

Belongs here: the table's metadata, its engine, its statements, its migration. Does not belong here: what makes a row
valid. Only INSERT and UPDATE on ``demand_content`` are ever sent (D-063).
"""
