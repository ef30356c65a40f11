"""Create demand_content where there is none; an existing table is left exactly as it is (D-064a)."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "demand_content",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("merge_leve2", sa.String(255), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("suggestion", sa.Text),
        sa.Column("score", sa.Float(53), nullable=False),
        sa.Column("ext_data", sa.JSON, nullable=False),
        sa.Column("dt", sa.String(8), nullable=False),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mariadb_engine="InnoDB",
        mariadb_charset="utf8mb4",
        if_not_exists=True,
    )


def downgrade() -> None:
    raise NotImplementedError("demand_content may not be ours to drop")
