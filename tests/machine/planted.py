"""Bugs that the machine must find, planted in the statements as in `tests.store.planted`."""

from tests.store.planted import CANCEL_WITHOUT_STATE, FINISH_WITHOUT_ATTEMPT, Bug

_EARLY = r"(state = 'scheduled' AND action\.blockers = 0) AND action\.execute_at <= "

_SAME = "attempt=action.attempt + CASE action.state WHEN 'executing' THEN 0 ELSE 1 END"

BUGS: dict[str, Bug] = {
    "cancel without the state": CANCEL_WITHOUT_STATE,
    "finish without the attempt": FINISH_WITHOUT_ATTEMPT,
    # What depends on something is never marked as having dependants itself.
    "a cascade that misses grandchildren": Bug(
        (
            (
                r"(UPDATE action SET has_dependants=.*? WHERE action\.id IN \(.*?\))$",
                r"\1 AND NOT EXISTS (SELECT 1 FROM dependency d WHERE d.child = action.id)",
            ),
        )
    ),
    "stock released twice": Bug(
        ((r"available=\(stock\.available \+ (.*?)\)(?= WHERE)", r"available=(\g<1> * 2)"),)
    ),
    "blockers not decreased": Bug(
        (
            (
                r"blockers=\(action\.blockers - (.*?)\)(?= WHERE)",
                r"blockers=(action.blockers - 0 * \1)",
            ),
        )
    ),
    "a claim ahead of its time": Bug(((_EARLY, r"\1 AND action.execute_at - 2000000 <= "),)),
    "a recorded cancel is forgotten": Bug(((r"action\.late_cancel_at IS NOT NULL", "1 = 0"),)),
    "a take-over under the same attempt": Bug(((r"attempt=\(action\.attempt \+ 1\)", _SAME),)),
}
