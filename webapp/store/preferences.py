"""How each person wants the desk; nothing is kept of who has never said so."""

import json
from typing import Any

from sqlalchemy import bindparam, insert, select, update

from webapp.store.engine import NOW, Tx
from webapp.store.hot import Hot
from webapp.store.reading_schema import preference

_OF = Hot(select(preference.c.body).where(preference.c.person_id == bindparam("b_person")))
_REPLACE = (
    update(preference)
    .where(preference.c.person_id == bindparam("b_person"))
    .values(body=bindparam("b_body"), changed_at=NOW)
    .returning(preference.c.person_id)
)


def of(tx: Tx, person_id: int) -> dict[str, Any]:
    """What they have said; empty for who has not."""
    row = _OF.first(tx, {"b_person": person_id})
    return {} if row is None else dict(json.loads(row.body))


def write(tx: Tx, person_id: int, body: dict[str, Any]) -> None:
    """Keep what they say now, whole."""
    text = json.dumps(body)
    replaced = tx.conn.execute(_REPLACE, tx.params({"b_person": person_id, "b_body": text}))
    if replaced.first() is None:
        values = {"person_id": person_id, "body": text, "changed_at": tx.now()}
        tx.conn.execute(insert(preference).values(values))
