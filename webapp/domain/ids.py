"""Identifiers of actions."""

import os
from itertools import count
from uuid import UUID

_sequence = count(int.from_bytes(os.urandom(2)))


def new_id(at: int) -> str:
    """A UUIDv7 (RFC 9562): ordered by `at` (UTC microseconds), so that indexes stay dense.

    Twelve bits count up within a process, which keeps ids of the same millisecond in order
    for 4,096 drafts at a time; the other 62 bits are random.
    """
    value = (at // 1000) << 80 | 0x7 << 76 | (next(_sequence) & 0xFFF) << 64
    value |= 0b10 << 62 | int.from_bytes(os.urandom(8)) >> 2
    return str(UUID(int=value))


def least_id(at: int) -> str:
    """Below every id made at `at` (UTC microseconds) or later."""
    return str(UUID(int=max(0, at // 1000) << 80))


def made_at(action_id: str) -> int:
    """When an id was made (UTC microseconds), to the millisecond."""
    return (UUID(action_id).int >> 80) * 1000


def idempotency_key(action_id: str) -> str:
    """The key under which every attempt is sent: from the action's id, nothing else."""
    return f"act_{action_id}"
