"""Every kind, by name. A new kind is one file and one line here."""

from webapp.domain.kinds.base import Kind
from webapp.domain.kinds.exchange import EXCHANGE, RESTOCK
from webapp.domain.kinds.label import LABEL, VOID
from webapp.domain.kinds.refund import REFUND, REVERSAL
from webapp.domain.kinds.reply import CORRECTION, REPLY
from webapp.domain.kinds.webhook import UNDO, WEBHOOK

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        *(REFUND, LABEL, REPLY, EXCHANGE, WEBHOOK),
        *(REVERSAL, VOID, CORRECTION, RESTOCK, UNDO),
    )
}

DRAFTED: tuple[str, ...] = tuple(name for name, kind in KINDS.items() if kind.repairs is None)
"""Kinds that an agent may draft; the others are the ways back."""
