"""The law repeated by the database: arrows outside the table are refused, events are for ever."""

from webapp.domain.merging import WINDOWS
from webapp.domain.states import ARROWS, FIRST
from webapp.store.columns import quoted

_OUTSIDE = "NOT ({})".format(
    " OR ".join(
        f"(OLD.state = '{source}' AND NEW.state = '{target}')" for source, target in sorted(ARROWS)
    )
)
_FIRST = quoted(FIRST)

SQLITE = (
    f"""CREATE TRIGGER action_arrow BEFORE UPDATE OF state ON action
    WHEN OLD.state <> NEW.state AND {_OUTSIDE}
    BEGIN SELECT RAISE(ABORT, 'no such arrow between these states'); END""",
    f"""CREATE TRIGGER action_first BEFORE INSERT ON action WHEN NEW.state NOT IN ({_FIRST})
    BEGIN SELECT RAISE(ABORT, 'an action cannot begin in this state'); END""",
    """CREATE TRIGGER action_payload BEFORE UPDATE OF payload, payload_hash ON action
    WHEN OLD.payload <> NEW.payload OR OLD.payload_hash <> NEW.payload_hash
    BEGIN SELECT RAISE(ABORT, 'a payload does not change'); END""",
    """CREATE TRIGGER event_update BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'events are append-only'); END""",
    """CREATE TRIGGER event_delete BEFORE DELETE ON event
    BEGIN SELECT RAISE(ABORT, 'events are append-only'); END""",
)

POSTGRESQL = (
    """CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'check_violation'; END $$""",
    f"""CREATE TRIGGER action_arrow BEFORE UPDATE OF state ON action FOR EACH ROW
    WHEN (OLD.state <> NEW.state AND {_OUTSIDE})
    EXECUTE FUNCTION refuse('no such arrow between these states')""",
    f"""CREATE TRIGGER action_first BEFORE INSERT ON action FOR EACH ROW
    WHEN (NEW.state NOT IN ({_FIRST}))
    EXECUTE FUNCTION refuse('an action cannot begin in this state')""",
    """CREATE TRIGGER action_payload BEFORE UPDATE OF payload, payload_hash ON action FOR EACH ROW
    WHEN (OLD.payload <> NEW.payload OR OLD.payload_hash <> NEW.payload_hash)
    EXECUTE FUNCTION refuse('a payload does not change')""",
    """CREATE TRIGGER event_update BEFORE UPDATE OR DELETE ON event FOR EACH ROW
    EXECUTE FUNCTION refuse('events are append-only')""",
    """CREATE TRIGGER event_truncate BEFORE TRUNCATE ON event FOR EACH STATEMENT
    EXECUTE FUNCTION refuse('events are append-only')""",
    # Differs because only PostgreSQL's sequence numbers become visible out of order.
    "ALTER TABLE event ALTER COLUMN txid SET DEFAULT pg_current_xact_id()::text::bigint",
)

_CHANGED = "(OLD.payload <> NEW.payload OR OLD.payload_hash <> NEW.payload_hash)"
_JOINED = f"""(OLD.state = 'scheduled' AND NEW.state = 'scheduled' AND NEW.attempt = 0
    AND OLD.merge_scope IS NOT NULL AND NEW.merge_scope IS NOT NULL
    AND NEW.merge_scope = OLD.merge_scope
    AND NEW.kind = OLD.kind AND NEW.agent = OLD.agent AND NEW.customer_ref = OLD.customer_ref
    AND NEW.version = OLD.version + 1 AND NEW.payload_version = NEW.version
    AND NEW.merges = OLD.merges + 1 AND NEW.merges < {WINDOWS} AND NEW.execute_at >= OLD.execute_at
    AND NEW.payload_hash <> OLD.payload_hash AND NEW.first_viewed_at IS NULL)"""

MERGING_SQLITE = (
    "DROP TRIGGER action_payload",
    f"""CREATE TRIGGER action_payload BEFORE UPDATE OF payload, payload_hash ON action
    WHEN {_CHANGED} AND NOT {_JOINED}
    BEGIN SELECT RAISE(ABORT, 'a payload changes only as drafts are joined'); END""",
)

MERGING_POSTGRESQL = (
    "DROP TRIGGER action_payload ON action",
    f"""CREATE TRIGGER action_payload BEFORE UPDATE OF payload, payload_hash ON action FOR EACH ROW
    WHEN ({_CHANGED} AND NOT {_JOINED})
    EXECUTE FUNCTION refuse('a payload changes only as drafts are joined')""",
)

_PRUNED = """(OLD.finished_at IS NOT NULL AND OLD.pruned_at IS NULL AND NEW.pruned_at IS NOT NULL
    AND NEW.state = OLD.state AND NEW.payload = '{}' AND NEW.payload_hash = OLD.payload_hash)"""

PRUNING_SQLITE = (
    "DROP TRIGGER action_payload",
    f"""CREATE TRIGGER action_payload BEFORE UPDATE OF payload, payload_hash ON action
    WHEN {_CHANGED} AND NOT {_JOINED} AND NOT {_PRUNED}
    BEGIN SELECT RAISE(ABORT, 'a payload changes only as drafts are joined, or goes'); END""",
    f"""CREATE TRIGGER action_pruned BEFORE UPDATE OF pruned_at ON action WHEN NOT {_PRUNED}
    BEGIN SELECT RAISE(ABORT, 'what has ended is emptied once, and for good'); END""",
)

PRUNING_POSTGRESQL = (
    "DROP TRIGGER action_payload ON action",
    f"""CREATE TRIGGER action_payload BEFORE UPDATE OF payload, payload_hash ON action FOR EACH ROW
    WHEN ({_CHANGED} AND NOT {_JOINED} AND NOT {_PRUNED})
    EXECUTE FUNCTION refuse('a payload changes only as drafts are joined, or goes')""",
    f"""CREATE TRIGGER action_pruned BEFORE UPDATE OF pruned_at ON action FOR EACH ROW
    WHEN (NOT {_PRUNED})
    EXECUTE FUNCTION refuse('what has ended is emptied once, and for good')""",
)

_FOR_EVER = ("admin_change", "policy_change")

KEPT_SQLITE = tuple(
    f"""CREATE TRIGGER {table}_{what.lower()} BEFORE {what} ON {table}
    BEGIN SELECT RAISE(ABORT, 'who changed what is append-only'); END"""
    for table in _FOR_EVER
    for what in ("UPDATE", "DELETE")
)

KEPT_POSTGRESQL = tuple(
    f"""CREATE TRIGGER {table}_kept BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW
    EXECUTE FUNCTION refuse('who changed what is append-only')"""
    for table in _FOR_EVER
)
