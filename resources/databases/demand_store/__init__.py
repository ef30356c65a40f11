"""The demand store: the one table ``demand_content`` on MySQL, MariaDB or embedded SQLite.

Belongs here: the table's metadata, its engine, its statements, its migration. Does not belong here: what makes a row
valid. Runs write by INSERT and UPDATE on this table and nothing else
(D-063); only ``migrate`` creates it.
"""
