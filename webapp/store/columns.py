"""What every table shares: the metadata, and columns of one form."""

from sqlalchemy import BigInteger, Column, ColumnElement, MetaData, String, literal_column

from webapp.domain.states import State

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def quoted(states: frozenset[State]) -> str:
    """`'a','b'`, for CHECKs, index predicates and triggers."""
    return ",".join(f"'{state}'" for state in sorted(states))


def word(constant: str) -> ColumnElement[str]:
    """A constant of ours as text: each parameter costs at every run of a hot statement."""
    return literal_column(f"'{constant}'", String())


def at(name: str, *, nullable: bool = True) -> Column[int | None]:
    """An instant: integer UTC microseconds."""
    return Column(name, BigInteger, nullable=nullable)
