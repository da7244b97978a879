/* Two workers, a canceller, staff, a drafter, a provider and a clock around a parent and its child.
 *
 * Each step is one transaction (or one statement, where others can come between) of the code that
 * its comment names. README.md says what is left out; `make model` runs it.
 *
 * A connector, by its promises: -DDEDUPES=0|1 -DLOOKUP=0|1 (webapp/connectors/base.py).
 * A policy: -DSPARE=1: the child's kind says `on_parent_failed=hold`.
 * Bugs on purpose: -DBUG_..., each of which must be found. -DFREEZE: a limit, see README.md.
 */

#ifndef DEDUPES
#define DEDUPES 1
#endif
#ifndef LOOKUP
#define LOOKUP 1
#endif
#ifndef SPARE
#define SPARE 0
#endif
#ifndef ATTEMPTS
#define ATTEMPTS 2 /* the policy's max_attempts */
#endif
#ifndef CRASHES
#define CRASHES 1 /* of a worker, at any step */
#endif
#ifndef STALLS
#define STALLS 1 /* a worker that lives lets its lease run out */
#endif
#ifndef LOSSES
#define LOSSES 1 /* claims and take-overs whose commit is answered by nobody */
#endif
#ifndef HOLDS
#define HOLDS 1 /* by staff; each is released or cancelled */
#endif

/* domain/states.State; `absent` is a child not drafted yet. */
mtype:state = { absent, awaiting_approval, scheduled, held, executing, executed, cancelled,
                rejected, failed, unknown };

#define PARENT 0
#define CHILD 1
#define NOBODY 2

/* The rows. */
mtype:state st[2] = absent;
byte attempt[2]; /* the fencing token */
byte owner[2] = NOBODY; /* `worker`; NOBODY too once that worker has died: names are not reused */
bool leased[2]; /* lease_until is in the future */
bool late[2]; /* late_cancel_at: a cancel was recorded */
bool again[2]; /* previous_state is `executing`: this attempt came by a take-over, or may have */
bool has_child; /* the parent's has_dependants */
bool blocked; /* the child's blockers */
bool linked; /* the child's row in `dependency` */
bool lock[2]; /* held from one statement to the next: only where others can come between */

/* The provider. Of each action the attempts whose request is under way, as bits. */
byte under_way[2];
byte keys[2]; /* that it has seen, as bits: one a key */
byte effects[2];

/* What a worker has in its hands; it is gone when the worker dies. */
mtype:pc = { idle, begun, checked, waiting, ask, ended, overtaken };
mtype:answer = { none, ok, refused, refused_for_good };
mtype:pc pc[2] = idle;
bit act[2];
byte att[2];
bool cr[2]; /* Claim.cancel_recorded, as it was when claimed */
bool over[2]; /* Attempt.taken_over */
bool perm[2]; /* EffectFailed.permanent */
mtype:answer answer[2] = none;
mtype:state result[2] = absent; /* Finish.state */

byte crashes = CRASHES;
byte stalls = STALLS;
byte losses = LOSSES;
byte holds = HOLDS;

/* What the promises are judged by: no step of the code reads it. */
bool told_cancelled[2]; /* somebody was told `cancelled` */
bool running[2]; /* a claim won and nothing has been written about its attempt yet */
bool fenced[2]; /* this worker's action was taken over by another */
byte tries[2]; /* sends that may have had an effect, for all that the desk knows */

#define CANCELLABLE(a) (st[a] == awaiting_approval || st[a] == scheduled || st[a] == held)
#define RAN_OUT(a) (st[a] == cancelled || st[a] == rejected || st[a] == failed)
#define TERMINAL(a) (st[a] == executed || RAN_OUT(a))
#define ENDED (TERMINAL(PARENT) && (TERMINAL(CHILD) || st[CHILD] == absent))
#define FREE(a) (!lock[a] && (a == CHILD || !lock[CHILD]))

#ifdef BUG_ATTEMPT_IN_KEY
#define KEY(t) (1 << (t))
#else
#define KEY(t) 1 /* domain/ids.idempotency_key: the action's, whatever the attempt */
#endif

/* Judged after every step that could break one. The numbers are those of DESIGN.md, Promises. */
inline promises() {
  d_step {
    assert(effects[PARENT] <= 1 && effects[CHILD] <= 1); /* 5: one effect a key */
#if !defined(FREEZE) || defined(FREEZE_IS_SAFE)
    /* 1, 4: what ended without an effect has none, and none is to come. */
    assert(!(RAN_OUT(PARENT) && (effects[PARENT] || under_way[PARENT])));
    assert(!(RAN_OUT(CHILD) && (effects[CHILD] || under_way[CHILD])));
    /* States: never back to scheduled while the outcome is unknown. */
    assert(!(st[PARENT] == scheduled && (effects[PARENT] || under_way[PARENT])));
    assert(!(st[CHILD] == scheduled && (effects[CHILD] || under_way[CHILD])));
#endif
    assert(!(st[PARENT] == executed && !effects[PARENT])); /* 4: executed was executed */
    assert(!(st[CHILD] == executed && !effects[CHILD]));
    assert(!(told_cancelled[PARENT] && st[PARENT] != cancelled)); /* 1: who won stays told so */
    assert(!(told_cancelled[CHILD] && st[CHILD] != cancelled));
    /* 7: no live child under a cancelled parent, nor under a failed one unless it is spared. */
    assert(!(FREE(PARENT) && (st[PARENT] == cancelled || st[PARENT] == rejected) &&
             !(RAN_OUT(CHILD) || st[CHILD] == absent)));
    assert(!(FREE(PARENT) && st[PARENT] == failed && !SPARE &&
             !(RAN_OUT(CHILD) || st[CHILD] == absent)));
    /* Claim order: the child runs after its parent, or was let go without it. */
    assert(!(st[CHILD] == executing && linked && st[PARENT] != executed));
  }
}

/* One arrow: the trigger of store/ddl.py refuses a row that does not stand where it starts. */
inline move(a, from, to) {
  assert(st[a] == from);
  st[a] = to
}

/* (draft) -> one of domain/states.FIRST */
inline born(a, first) {
  st[a] = first
}

/* store/consequences._cascade: the children in a second statement of the same transaction. */
inline cascade() {
  if
  :: has_child && st[CHILD] == awaiting_approval -> move(CHILD, awaiting_approval, cancelled)
  :: has_child && st[CHILD] == scheduled -> move(CHILD, scheduled, cancelled)
  :: has_child && st[CHILD] == held -> move(CHILD, held, cancelled)
  :: else
  fi
}

/* store/consequences.ended of a failed row: store/parents.hold_children, else the cascade. */
inline failure(a) {
  if
  :: a == PARENT && SPARE && st[CHILD] == scheduled -> move(CHILD, scheduled, held)
  :: a == PARENT && !SPARE -> cascade()
  :: else
  fi
}

/* store/consequences.ended of a cancelled row */
inline withdrawal(a) {
  if
  :: a == PARENT -> cascade()
  :: else
  fi
}

/* store/consequences.executed, unblock */
inline success(a) {
  if
  :: a == PARENT && has_child -> blocked = false
  :: else
  fi
}

/* What both takes of store/batches.Take write. */
inline take(w, a) {
  attempt[a]++;
  owner[a] = w;
  leased[a] = true;
  assert(!told_cancelled[a]); /* 1: exactly one of cancel and claim wins */
  running[a] = true
}

/* worker/dispatcher._begin */
inline begin(w, a, by_take_over) {
  pc[w] = begun;
  act[w] = a;
  att[w] = attempt[a];
  cr[w] = late[a];
  over[w] = by_take_over;
  fenced[w] = false
}

inline put_down(w) {
  pc[w] = idle;
  act[w] = 0;
  att[w] = 0;
  cr[w] = false;
  over[w] = false;
  perm[w] = false;
  answer[w] = none;
  result[w] = absent;
  fenced[w] = false
}

/* Its answer to the claim may be lost with the connection: then the worker has nothing in hand. */
inline heard(w, a, by_take_over) {
  if
  :: begin(w, a, by_take_over)
  :: losses > 0 -> losses--
  fi
}

/* store/batches.CLAIM: state, due (any time), nothing it depends on short of executed, unlocked. */
#define CLAIMABLE(a) (st[a] == scheduled && !lock[a] && \
                      (a == PARENT || (!blocked && (!linked || st[PARENT] == executed))))

inline claim(w, a) {
  again[a] = false;
  take(w, a);
  move(a, scheduled, executing);
  heard(w, a, false);
  promises()
}

/* store/batches.TAKE_OVER: state and lease; never its own, whose leases it has just extended. */
#define LOST(w, a) (st[a] == executing && !leased[a] && owner[a] != w && FREE(a))

inline take_over(w, a) {
#ifdef BUG_SWEEP_BACK
  move(a, executing, scheduled);
  running[a] = false;
  owner[a] = NOBODY
#else
  fenced[1 - w] = fenced[1 - w] || (pc[1 - w] != idle && act[1 - w] == a);
  again[a] = true;
  take(w, a); /* executing again: no arrow, attempt + 1 */
  heard(w, a, true)
#endif
  ;
  promises()
}

/* worker/dispatcher._take_over, strays: claimed by a commit whose answer was lost. */
#define STRAY(w, a) (st[a] == executing && owner[a] == w)

inline find_stray(w, a) {
  leased[a] = true;
#ifdef BUG_STRAY_SENT
  begin(w, a, false)
#else
  begin(w, a, again[a])
#endif
}

/* services/execute.no_effect */
inline no_effect(w) {
  if
  :: (!perm[w] && att[w] < ATTEMPTS) || cr[w] -> result[w] = scheduled
  :: else -> result[w] = failed
  fi;
  pc[w] = ended
}

/* services/execute.in_doubt */
inline in_doubt(w) {
  if
  :: (LOOKUP || (DEDUPES && !perm[w])) && att[w] < ATTEMPTS -> result[w] = executing
  :: else -> result[w] = unknown
  fi;
  pc[w] = ended
}

/* services/recover._may_send */
#define MAY_SEND(w) (!over[w] || (DEDUPES && !cr[w] && att[w] <= ATTEMPTS))
/* services/execute._still_ours: by the worker's own clock, which stands for this very attempt. */
#define STILL_OURS(w) (leased[act[w]] && attempt[act[w]] == att[w])

/* connector.send: from here on the effect may happen at any moment. */
inline send(w) {
  assert(tries[act[w]] == 0 || DEDUPES); /* 5: where not deduped, at most one that may have */
  assert(!(over[w] && cr[w])); /* States: with a cancel recorded, only looked up */
  under_way[act[w]] = under_way[act[w]] | (1 << att[w]);
  tries[act[w]]++;
  pc[w] = waiting;
  promises()
}

/* services/execute.execute: refused by its own clock, it was not sent. */
inline not_sent(w) {
  if
  :: over[w] -> pc[w] = ask
  :: else -> no_effect(w)
  fi
}

/* services/execute.look_up. A connector says "absent" only when nothing is under way any more. */
inline look_up(w) {
  if
  :: effects[act[w]] > 0 -> result[w] = executed; pc[w] = ended
  :: effects[act[w]] == 0 && !under_way[act[w]] -> tries[act[w]] = 0; no_effect(w)
  :: in_doubt(w) /* silence */
  fi
}

/* store/claims.finish: fenced by state and attempt, with all that follows in its transaction. */
#ifdef BUG_NO_FENCE
#define MINE(w) (st[act[w]] == executing)
#else
#define MINE(w) (st[act[w]] == executing && attempt[act[w]] == att[w])
#endif

inline finish(w, a) {
  if
  :: MINE(w) ->
     assert(!fenced[w]); /* 5: a fenced-out attempt changes nothing */
     running[a] = false;
     owner[a] = NOBODY;
     leased[a] = false;
     again[a] = false;
     if
     :: result[w] == executed -> move(a, executing, executed); success(a)
     :: result[w] == failed && !late[a] -> move(a, executing, failed); failure(a)
     :: result[w] == unknown -> move(a, executing, unknown)
     :: result[w] == executing -> running[a] = true; again[a] = true /* lease over at retry_at */
     :: result[w] == scheduled && !late[a] -> move(a, executing, scheduled)
     :: (result[w] == scheduled || result[w] == failed) && late[a] ->
          move(a, executing, cancelled); withdrawal(a)
     fi;
     put_down(w);
     promises()
  :: else -> pc[w] = overtaken
  fi
}

/* services/late.reconcile: evidence for an unknown row; on any other only kept and shown. */
inline reconcile(w, a) {
  if
  :: st[a] == unknown && result[w] == executed -> move(a, unknown, executed); success(a)
  :: else
  fi;
  put_down(w);
  promises()
}

/* kill -9 or a lost host, at any step; a next life has another name and an empty hand. */
inline die(w) {
  crashes--;
  if
  :: owner[PARENT] == w -> owner[PARENT] = NOBODY
  :: else
  fi;
  if
  :: owner[CHILD] == w -> owner[CHILD] = NOBODY
  :: else
  fi;
  put_down(w)
}

/* worker/dispatcher with one slot, and worker/pool. Each worker sweeps. */
proctype Worker(bit w) {
end:
  do
  :: atomic { pc[w] == idle && CLAIMABLE(PARENT) -> claim(w, PARENT) }
  :: atomic { pc[w] == idle && CLAIMABLE(CHILD) -> claim(w, CHILD) }
  :: atomic { pc[w] == idle && LOST(w, PARENT) -> take_over(w, PARENT) }
  :: atomic { pc[w] == idle && LOST(w, CHILD) -> take_over(w, CHILD) }
  :: atomic { pc[w] == idle && STRAY(w, PARENT) -> find_stray(w, PARENT) }
  :: atomic { pc[w] == idle && STRAY(w, CHILD) -> find_stray(w, CHILD) }
  /* worker/dispatcher.keep_leases */
  :: atomic { pc[w] != idle && owner[act[w]] == w && st[act[w]] == executing && !leased[act[w]] ->
              leased[act[w]] = true }
#ifdef FREEZE
  :: atomic { pc[w] == begun && MAY_SEND(w) && STILL_OURS(w) -> pc[w] = checked }
  :: atomic { pc[w] == checked -> send(w) }
#else
  :: atomic { pc[w] == begun && MAY_SEND(w) && STILL_OURS(w) -> send(w) }
#endif
  :: atomic { pc[w] == begun && MAY_SEND(w) && !STILL_OURS(w) -> not_sent(w) }
  /* services/recover.recover */
  :: atomic { pc[w] == begun && !MAY_SEND(w) && LOOKUP -> pc[w] = ask }
  :: atomic { pc[w] == begun && !MAY_SEND(w) && !LOOKUP -> result[w] = unknown; pc[w] = ended }
  :: atomic { pc[w] == waiting && answer[w] == ok -> result[w] = executed; pc[w] = ended }
  /* services/execute.did_not */
  :: atomic { pc[w] == waiting && (answer[w] == refused || answer[w] == refused_for_good) ->
              perm[w] = (answer[w] == refused_for_good);
              tries[act[w]]--;
              not_sent(w) }
  :: atomic { pc[w] == waiting && answer[w] == none ->
              /* the deadline, a broken connection: it may have happened, or may yet */
              if :: perm[w] = true :: skip fi;
              pc[w] = ask }
  :: atomic { pc[w] == waiting && answer[w] == ok -> pc[w] = ask /* the answer was lost */ }
  :: atomic { pc[w] == ask && LOOKUP -> look_up(w) }
  :: atomic { pc[w] == ask && !LOOKUP -> in_doubt(w) }
  :: atomic { pc[w] == ended && FREE(act[w]) -> finish(w, act[w]) }
  :: atomic { pc[w] == overtaken && FREE(act[w]) -> reconcile(w, act[w]) }
  :: atomic { crashes > 0 && (pc[w] != idle || owner[PARENT] == w || owner[CHILD] == w) -> die(w) }
  od
}

inline arrives(a, t, what) {
  if
  :: pc[0] == waiting && act[0] == a && att[0] == t -> answer[0] = what
  :: pc[1] == waiting && act[1] == a && att[1] == t -> answer[1] = what
  :: else
  fi
}

/* Requests arrive in any order, and also when nobody waits for the answer any more. */
proctype Provider() {
  byte a, t;
end:
  do
  :: atomic {
       under_way[PARENT] || under_way[CHILD] ->
       if
       :: under_way[PARENT] -> a = PARENT
       :: under_way[CHILD] -> a = CHILD
       fi;
       t = 1;
       do
       :: (under_way[a] & (1 << t)) -> break
       :: (under_way[a] >> (t + 1)) -> t++
       od;
       under_way[a] = under_way[a] & ~(1 << t);
       if
       :: DEDUPES && (keys[a] & KEY(t)) -> arrives(a, t, ok) /* answered as the first time */
       :: !(DEDUPES && (keys[a] & KEY(t))) -> keys[a] = keys[a] | KEY(t); effects[a]++; arrives(a, t, ok)
       :: !(DEDUPES && (keys[a] & KEY(t))) -> arrives(a, t, refused)
       :: !(DEDUPES && (keys[a] & KEY(t))) -> arrives(a, t, refused_for_good)
       fi;
       a = 0;
       t = 0;
       promises()
     }
  od
}

/* Leases end: of the dead always, of the living as often as they may stall. Not before what was
 * sent under them has arrived: config.Settings refuses a lease not longer than a send's deadline. */
#ifdef FREEZE
#define ARRIVED(a) 1
#else
#define ARRIVED(a) (!under_way[a])
#endif

inline lapse(a) {
  leased[a] = false;
  if
  :: owner[a] != NOBODY -> stalls--
  :: else
  fi
}

proctype Clock() {
end:
  do
  :: atomic { st[PARENT] == executing && leased[PARENT] && ARRIVED(PARENT) &&
              (owner[PARENT] == NOBODY || stalls > 0) -> lapse(PARENT) }
  :: atomic { st[CHILD] == executing && leased[CHILD] && ARRIVED(CHILD) &&
              (owner[CHILD] == NOBODY || stalls > 0) -> lapse(CHILD) }
  od
}

/* store/transitions._CANCEL, statement 1 */
inline cancel_row(a) {
  assert(!running[a] || st[a] != executing); /* 1: the claim had not won */
  if
  :: st[a] == awaiting_approval -> move(a, awaiting_approval, cancelled)
  :: st[a] == scheduled -> move(a, scheduled, cancelled)
  :: st[a] == held -> move(a, held, cancelled)
  fi;
  told_cancelled[a] = true
}

/* services/cancel._too_late: recorded while it may matter; else it had ended. */
inline too_late(a) {
  late[a] = (st[a] == executing || st[a] == unknown);
  again[a] = again[a] || st[a] == executing /* store/arrow.guarded: the state that it had */
}

/* services/cancel.cancel of the parent, then or before of the child; each once, at any moment. */
proctype Canceller() {
  bool parent_left, child_left, in_cascade;
#ifdef BUG_CASCADE_AT_ONCE
  bool children;
#endif
  atomic {
    if :: parent_left = true :: skip fi; /* or nobody wants it cancelled */
    if :: child_left = true :: skip fi
  };
end:
  do
  :: atomic { parent_left && FREE(PARENT) && !CANCELLABLE(PARENT) ->
              parent_left = false; too_late(PARENT) }
  :: atomic { child_left && FREE(CHILD) && st[CHILD] != absent && !CANCELLABLE(CHILD) ->
              child_left = false; too_late(CHILD) }
#ifdef BUG_NO_GUARD
  :: atomic { parent_left && FREE(PARENT) && CANCELLABLE(PARENT) -> parent_left = false };
     atomic { FREE(PARENT) -> st[PARENT] = cancelled; cascade(); told_cancelled[PARENT] = true;
              promises() }
#else
#ifdef BUG_CASCADE_AT_ONCE
  :: atomic { parent_left && !in_cascade -> /* what the one statement sees is fixed here */
              children = (st[CHILD] != absent); in_cascade = true }
  :: atomic { in_cascade && FREE(PARENT) ->
              in_cascade = false; parent_left = false;
              if
              :: CANCELLABLE(PARENT) ->
                 cancel_row(PARENT);
                 if :: children -> cascade() :: else fi
              :: else
              fi;
              promises() }
#else
  :: atomic { parent_left && FREE(PARENT) && CANCELLABLE(PARENT) ->
              parent_left = false; cancel_row(PARENT); lock[PARENT] = true; in_cascade = true }
  :: atomic { in_cascade && !lock[CHILD] ->
              withdrawal(PARENT); lock[PARENT] = false; in_cascade = false; promises() }
#endif
#endif
  :: atomic { child_left && FREE(CHILD) && CANCELLABLE(CHILD) ->
              child_left = false; cancel_row(CHILD); promises() }
  od
}

/* services/draft._write with a dependency: store/drafting.lock_parents, then the insert. */
proctype Drafter() {
  atomic {
    FREE(PARENT) ->
    if
    :: RAN_OUT(PARENT) -> goto end /* DependencyNotLive */
    :: else
    fi;
    lock[PARENT] = true;
    has_child = true
  };
  atomic {
    if
    :: born(CHILD, scheduled)
    :: born(CHILD, held)
    :: born(CHILD, awaiting_approval)
    fi;
    linked = true;
    blocked = (st[PARENT] != executed);
    lock[PARENT] = false;
    promises()
  }
end: skip
}

/* store/transitions._free: what has failed is not waited for any more. */
inline freed(a, gone) {
  if
  :: a == CHILD && gone -> linked = false; blocked = false
  :: else
  fi
}

/* services/clock.hold and release, services/decide: people, who decide at some time. */
proctype Staff() {
  bool gone;
  if :: holds = 0 :: skip fi; /* nobody needs to hold anything */
end:
  do
  :: atomic { holds > 0 && st[PARENT] == scheduled && FREE(PARENT) ->
              holds--; move(PARENT, scheduled, held) }
  :: atomic { holds > 0 && st[CHILD] == scheduled && FREE(CHILD) ->
              holds--; move(CHILD, scheduled, held) }
  :: atomic { st[PARENT] == held && FREE(PARENT) -> move(PARENT, held, scheduled) }
  :: atomic { st[PARENT] == awaiting_approval && FREE(PARENT) ->
              if
              :: move(PARENT, awaiting_approval, scheduled)
              :: move(PARENT, awaiting_approval, rejected); withdrawal(PARENT)
              fi;
              promises() }
#ifdef BUG_FREED_UNLOCKED
  :: atomic { (st[CHILD] == held || st[CHILD] == awaiting_approval) && FREE(CHILD) ->
              gone = (st[PARENT] == failed) };
#else
  :: atomic { (st[CHILD] == held || st[CHILD] == awaiting_approval) && FREE(CHILD) ->
              lock[CHILD] = true;
              gone = (st[PARENT] == failed) };
#endif
     atomic {
       if
       :: st[CHILD] == held -> move(CHILD, held, scheduled); freed(CHILD, gone)
       :: st[CHILD] == awaiting_approval -> move(CHILD, awaiting_approval, scheduled);
          freed(CHILD, gone)
       :: st[CHILD] == awaiting_approval -> move(CHILD, awaiting_approval, rejected)
       :: else
       fi;
       gone = false;
       lock[CHILD] = false;
       promises()
     }
  od
}

/* services/settle and services/resolve: the provider or a person is asked, and then it is written.
 * Nobody answers while something is under way (store/batches.FIRST_LOOK). */
proctype Settler(bit a) {
  bool happened;
end:
  do
  :: atomic { st[a] == unknown && !under_way[a] -> happened = (effects[a] > 0) };
     atomic {
       FREE(a) ->
       if
       :: st[a] == unknown && happened -> move(a, unknown, executed); success(a)
       :: st[a] == unknown && !happened && !late[a] -> move(a, unknown, failed); failure(a)
       :: st[a] == unknown && !happened && late[a] -> move(a, unknown, cancelled); withdrawal(a)
       :: else
       fi;
       happened = false;
       promises()
     }
  od
}

init {
  atomic {
    if
    :: born(PARENT, scheduled)
    :: born(PARENT, held)
    :: born(PARENT, awaiting_approval)
    fi;
    run Worker(0);
    run Worker(1);
    run Provider();
    run Clock();
    run Canceller();
    run Drafter();
    run Staff();
    run Settler(PARENT);
    run Settler(CHILD)
  };
  /* 4: when nothing can move any more, everything has ended. */
  timeout -> assert(ENDED)
}

/* 4: every action ends. No fairness is asked for: crashes, stalls, losses and holds are counted. */
ltl ends { <> ENDED }
