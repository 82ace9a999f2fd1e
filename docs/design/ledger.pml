// The ledger as a model for SPIN: an answer leaves only with its entry, each entry rests on current rows, and
// nothing is written twice, whatever breaks. `npm run model` checks it; the head of
// packages/service/src/ledger/ledger.ts says the same in prose.
//
// Two replicas serve one tenant of one database. A replica judges a request on its guess, the head and the
// rows as it last saw them, and sends one append, a *link*, that succeeds only if the head is still the
// guessed one. A guess that it lacks is read without a lock. A miss comes with the head that is there. If this
// is newer and has the same rows, the replica follows it, and judges and sends again; otherwise, or when it
// likes, it takes the lock, reads, judges and appends. If the answer to an append is lost, it takes the lock, asks the log for
// the nonces of all links of the request whose answers were lost, and writes again before it gives the lock
// back.
//
// Requests: a wrap; a wrap for a person, the first of which makes the person's secret; a change, such as a
// rotation or a revocation; a read, which writes nothing. Faults: a connection breaks while an append runs, a
// replica crashes and forgets, a standby takes over. An append that nobody waits for any more runs at any
// later time, or never. Equal calls have equal hashes: two replicas can write equal entries within one
// millisecond.
//
// Not modelled: batches of several requests (a batch is one link), what is inside a row, time with a
// failover.
//
// Bounds:
//   R0, R1    how many requests the first and the second replica get
//   FAULTS    how many faults there are in all
//   FAILOVER  one of the faults may be a standby that takes over, and has everything
//   ASYNC     it may lack any number of the newest entries
//   TIME      the clock moves on, the API key expires, a replica knows only the time of its last read, and
//             old entries are purged
//
// Properties:
//   RELEASED  an answer leaves only while its own entry is in the log
//   STALE     no entry rests on a state that is older than the last change before it
//   ONCE      no link and no request is in the log twice
//   SECRET    all wraps for the person, in the log or released, are under the secret in the person's row
//   READ      a read is not older than its arrival
//   EXPIRED   nothing is written after the API key has expired, but for the delay that an append tolerates
//   SURVIVE   what was released survives a failover: more than an asynchronous standby can do
//
// Runs, the only list of them: the flags of spin, and what must come out. Each planted bug breaks the
// property beside it, which shows that the model would see it.
//
//   -DR0=2 -DR1=2 -DFAULTS=2                       holds     crashes and lost answers
//   -DR0=2 -DR1=2 -DFAULTS=2 -DFAILOVER            holds     and a failover that loses nothing
//   -DR0=2 -DR1=1 -DFAULTS=2 -DASYNC               holds     and one that loses the newest entries
//   -DR0=1 -DR1=1 -DFAULTS=2 -DTIME                holds     and expiry and purge
//   -DR0=2 -DR1=1 -DFAULTS=1 -DTIME                holds     the same for three requests
//   -DFAULTS=0 -DBUG_NO_CAS                        RELEASED  the append does not compare the head
//   -DBUG_ROWS                                     STALE     it follows a head with other rows
//   -DBUG_ABSENT                                   SECRET    the same, but only for the absent person
//   -DBUG_EARLY                                    RELEASED  the answer leaves when the append was sent
//   -DBUG_RESEND                                   ONCE      after a lost answer, it writes without a look
//   -DBUG_UNLOCKED                                 ONCE      it looks without the lock, then writes
//   -DBUG_TWO_STEPS                                ONCE      it looks under the lock, but writes after it
//   -DBUG_FORGET                                   ONCE      of several lost links, it asks only for the last
//   -DBUG_HASH                                     RELEASED  it knows a lost link by its entry's hash
//   -DBUG_READ_GUESS                               READ      a read answers from the guess
//   -DBUG_SHARED_READ                              READ      a read joins one that began before it arrived
//   -DR1=1 -DFAULTS=1 -DASYNC -DBUG_POSITION       STALE     the append compares only the head's id
//   -DR1=1 -DFAULTS=1 -DASYNC -DBUG_HEAD_HASH      SECRET    it compares the head's id and hash
//   -DR1=1 -DASYNC -DBUG_HEAD_SUM                  ONCE      it compares these and the sum of rows, no nonce
//   -DR1=1 -DFAULTS=1 -DASYNC -DBUG_SURVIVE        SURVIVE   none: this property asks for too much
//   -DR0=1 -DR1=1 -DTIME -DBUG_ANY_TIME            EXPIRED   the append compares no times
//   -DR0=1 -DR1=1 -DTIME -DBUG_PURGE_NEW           ONCE      the purge takes what may still be asked for
//   -DR0=1 -DR1=1 -DFAULTS=1 -DTIME -DBUG_PATIENT  ONCE      a lost answer is asked for without a time limit
#ifndef R0
#define R0 2
#endif
#ifndef R1
#define R1 2
#endif
#ifndef FAULTS
#define FAULTS 2
#endif
#ifdef ASYNC
#define FAILOVER
#endif
/* The genesis, an entry for each request, and one that only a bug writes. */
#define ENTRIES 6
#define LOST (FAULTS + 1)
/* In ticks. An append accepts a judgement that is not OLD, a lost answer is asked for until its request is
   OLD, and the purge takes entries that are OLD. */
#define EXPIRY 3
#define LAST_TICK 4
#define OLD 2

mtype = { wrap, person, change, read, idle, sent, written, missed, gone };

/* An append on its way, and the session of the database that runs it. Each replica has two: while one still
   has an append that nobody waits for, it uses the other. */
typedef Link {
  mtype state, kind;
  bool hasLock, isForgotten;
  byte headId, headNonce, headVersion, headSecret; short headHash;  /* the head that it expects */
  byte version;                                                     /* of the rows that it was judged on */
  byte secret, nonce, request, age
}
Link link[4];

/* The log. Entry 0 is the genesis. `request` and `isReleased` are there for the properties alone. */
short hash[ENTRIES];
byte nonce[ENTRIES], request[ENTRIES], secret[ENTRIES];
mtype kind[ENTRIES];
bool isReleased[ENTRIES];
byte headId;

/* The rows: the version of the key, and the secret of the person, or 0. */
byte version = 1, rowSecret;

byte lock;                                   /* 0, or the session that holds the head's lock, plus one */
byte faults = FAULTS, failovers;
byte i;

#ifdef TIME
byte now, purgedThrough;
byte guessAge[2] = OLD, requestAge[2] = OLD, entryAge[ENTRIES] = OLD;
#endif

#define HASH(before, kind) (before * 4 + (kind == wrap -> 1 : (kind == person -> 2 : 3)))

/* What no step reads any more becomes 0, here and below, so that SPIN sees equal states as equal. */
inline clear(s) {
  link[s].kind = 0; link[s].hasLock = false; link[s].isForgotten = false;
  link[s].headId = 0; link[s].headNonce = 0; link[s].headVersion = 0; link[s].headSecret = 0;
  link[s].headHash = 0; link[s].version = 0;
  link[s].secret = 0; link[s].nonce = 0; link[s].request = 0; link[s].age = OLD
}

inline apply(s) {
  headId++;
  kind[headId] = link[s].kind; nonce[headId] = link[s].nonce; request[headId] = link[s].request;
  secret[headId] = link[s].secret; isReleased[headId] = false;
  hash[headId] = HASH(hash[headId - 1], link[s].kind);
#ifdef TIME
  entryAge[headId] = 0;
  assert(now <= EXPIRY);                                            /* EXPIRED */
#endif
  assert(link[s].version == version);                               /* STALE */
  i = 1;
  do
  :: i < headId ->
     assert(request[i] != request[headId] && nonce[i] != nonce[headId]);     /* ONCE */
     i++
  :: else -> break
  od;
  i = 0;
  if
  :: link[s].kind == change -> version++
  :: link[s].kind == person ->
     if :: rowSecret == 0 -> rowSecret = link[s].secret :: else fi;
     assert(link[s].secret == rowSecret)                            /* SECRET */
  :: else
  fi
}

#if defined(BUG_NO_CAS)
#define IS_HEAD(s) true
#elif defined(BUG_POSITION)
#define IS_HEAD(s) (link[s].headId == headId)
#elif defined(BUG_HEAD_HASH)
#define IS_HEAD(s) (link[s].headId == headId && link[s].headHash == hash[headId])
#elif defined(BUG_HEAD_SUM)
#define IS_HEAD(s) (link[s].headId == headId && link[s].headHash == hash[headId] \
  && link[s].headVersion == version && link[s].headSecret == rowSecret)
#else
#define IS_HEAD(s) (link[s].headId == headId && link[s].headNonce == nonce[headId])
#endif
#if defined(TIME) && !defined(BUG_ANY_TIME)
#define IS_IN_TIME(s) (link[s].age < OLD)
#else
#define IS_IN_TIME(s) true
#endif

/* A session runs its append when it gets the lock, even if nobody waits for the answer any more. */
proctype Session(byte s) {
end: do
  :: atomic { link[s].state == sent && (lock == 0 || (link[s].hasLock && lock == s + 1)) ->
       if
       :: IS_HEAD(s) && IS_IN_TIME(s) -> apply(s); link[s].state = written
       :: else -> link[s].state = missed
       fi;
       if :: lock == s + 1 -> lock = 0 :: else fi;
       if :: link[s].isForgotten -> link[s].state = idle :: else fi;
       clear(s);
       if
       :: link[s].state == missed ->                                /* with the head that is there, and the time */
          link[s].headId = headId; link[s].headNonce = nonce[headId]; link[s].headHash = hash[headId];
          link[s].headVersion = version; link[s].headSecret = rowSecret;
#ifdef TIME
          link[s].age = 0
#endif
       :: else
       fi }
  :: atomic { link[s].state == sent && link[s].isForgotten ->       /* it never arrived */
       if :: lock == s + 1 -> lock = 0 :: else fi;
       link[s].state = idle; clear(s) }
  od
}

/* The connection is gone. What was sent may still run, or have run. */
inline abandon() {
  if
  :: link[s].state == sent -> link[s].isForgotten = true; s = 4 * r + 1 - s
  :: else -> link[s].state = idle; clear(s);
     if :: lock == s + 1 -> lock = 0 :: else fi
  fi
}

#ifdef TIME
#define CAN_BE_SEEN(id) (id <= headId && id > purgedThrough)
#else
#define CAN_BE_SEEN(id) (id <= headId)
#endif
#ifdef BUG_HASH
#define IS_IN_LOG(u) (CAN_BE_SEEN(lostId[u]) && hash[lostId[u]] == lostHash[u])
#else
#define IS_IN_LOG(u) (CAN_BE_SEEN(lostId[u]) && nonce[lostId[u]] == lostNonce[u])
#endif

/* Remembers a link whose answer was lost. The first can land after the second has failed, so all count. */
inline doubt() {
#ifdef BUG_FORGET
  lost = 0;
#endif
  lostId[lost] = id; lostNonce[lost] = ownNonce; lostSecret[lost] = ownSecret; lostHash[lost] = ownHash;
  lost++;
  id = 0; ownNonce = 0; ownSecret = 0; ownHash = 0
}

/* Reads the head and the rows, with the time, in one snapshot. */
inline look() {
  guessId = headId; guessNonce = nonce[headId]; guessHash = hash[headId];
  guessVersion = version; guessSecret = rowSecret; seenVersion = version; seenSecret = rowSecret;
  isKnown = true;
#ifdef TIME
  guessAge[r] = 0
#endif
}

inline forget() {
  isKnown = false;
  guessId = 0; guessNonce = 0; guessHash = 0; guessVersion = 0; guessSecret = 0;
  seenVersion = 0; seenSecret = 0;
#ifdef TIME
  guessAge[r] = OLD
#endif
}

inline release(at) {
  assert(at <= headId && nonce[at] == ownNonce);                    /* RELEASED */
  assert(what != person || ownSecret == rowSecret);                 /* SECRET */
#ifdef BUG_SURVIVE
  isReleased[at] = true
#endif
}

/* The request has its answer, or will never have one. */
inline finish() {
  what = 0; hasMissed = false; isLocked = false; attempts = 0;
  id = 0; ownRequest = 0; ownSecret = 0; ownNonce = 0; ownHash = 0; arrivedVersion = 0; arrivedFailovers = 0;
#ifdef TIME
  requestAge[r] = OLD;
#endif
  u = 0;
  do
  :: u < lost -> lostId[u] = 0; lostNonce[u] = 0; lostSecret[u] = 0; lostHash[u] = 0; u++
  :: else -> break
  od;
  u = 0; lost = 0;
  if :: link[4 * r + 1 - s].state == idle -> s = 2 * r :: else fi   /* of two free sessions, the first */
}

/* Only forwards: an older head shows a loss. The sum of the rows says whether they are the same. */
#if defined(BUG_ROWS) || defined(BUG_ABSENT)
#define FOLLOWS(s) (link[s].headId > guessId)
#else
#define FOLLOWS(s) (link[s].headId > guessId && link[s].headVersion == seenVersion && link[s].headSecret == seenSecret)
#endif

proctype Replica(byte r) {
  byte count, s = 2 * r;                     /* the requests so far, and the session in use */
  byte ownRequest, ownSecret, ownNonce, attempts, id; short ownHash;
  byte guessId, guessNonce, guessVersion, guessSecret; short guessHash;
  byte seenVersion, seenSecret;              /* the rows of the guess */
  byte arrivedVersion, arrivedFailovers;
  bool isKnown, hasMissed, isLocked; mtype what;
  byte u, lost, lostId[LOST], lostNonce[LOST], lostSecret[LOST]; short lostHash[LOST];
next:
  atomic {
    if :: count == (r == 0 -> R0 : R1) -> forget(); goto done :: else fi;
    count++; ownRequest = r * 8 + count;
#ifdef BUG_SHARED_READ
    if :: isKnown -> look() :: else fi
  }
  atomic {
#endif
    arrivedVersion = version; arrivedFailovers = failovers;
#ifdef TIME
    requestAge[r] = 0;
#endif
    if
    :: what = wrap
    :: what = person
    :: what = change
    :: what = read; goto reading
    fi }
again:
  atomic {                                   /* look, judge, and send */
    if
    :: lost == 0 && !hasMissed && link[s].state == idle -> if :: isKnown :: else -> look() fi
    :: lock == 0 && link[s].state == idle -> lock = s + 1; isLocked = true; look()
    :: faults > 0 -> faults--; goto crash
    fi;
    hasMissed = false;
#if defined(TIME) && !defined(BUG_PATIENT)
    if
    :: lost > 0 && requestAge[r] == OLD -> lock = 0; finish(); goto next      /* 500: never written again */
    :: else
    fi;
#endif
    u = 0;
    do
    :: u < lost && IS_IN_LOG(u) ->
       id = lostId[u]; ownNonce = lostNonce[u]; ownSecret = lostSecret[u]; lock = 0;
       release(id); finish(); goto next
    :: u < lost && !IS_IN_LOG(u) -> u++
    :: else -> break
    od;
    u = 0;
#ifdef BUG_TWO_STEPS
    if :: lost > 0 -> lock = 0; isLocked = false; lost = 0 :: else fi;
#endif
#ifdef TIME
    if
    :: now >= EXPIRY + guessAge[r] ->        /* 401 */
       if :: isLocked -> lock = 0 :: else fi;
       finish(); goto next
    :: else
    fi;
#endif
    attempts++; ownNonce = ownRequest * 4 + attempts; id = guessId + 1; ownHash = HASH(guessHash, what);
    ownSecret = (what == person -> (seenSecret == 0 -> ownNonce : seenSecret) : 0);
    link[s].kind = what; link[s].hasLock = isLocked; link[s].version = seenVersion;
    link[s].headId = guessId; link[s].headNonce = guessNonce; link[s].headHash = guessHash;
    link[s].headVersion = guessVersion; link[s].headSecret = guessSecret;
    link[s].secret = ownSecret; link[s].nonce = ownNonce; link[s].request = ownRequest;
#ifdef TIME
    link[s].age = guessAge[r];
#endif
    isLocked = false; link[s].state = sent;
#ifdef BUG_EARLY
    release(id)
#endif
  }
  if
  :: atomic { link[s].state == written -> link[s].state = idle;
       guessId = id; guessNonce = ownNonce; guessHash = ownHash;
       if
       :: what == change -> guessVersion++; seenVersion++
       :: what == person -> guessSecret = ownSecret; seenSecret = ownSecret
       :: else
       fi;
       release(id); finish(); goto next }
  :: atomic { link[s].state == missed -> link[s].state = idle;
       attempts--;                           /* nobody has its nonce, so it can be drawn again */
       ownNonce = 0; ownSecret = 0; ownHash = 0; id = 0;
       if
       :: FOLLOWS(s) ->
          guessId = link[s].headId; guessNonce = link[s].headNonce; guessHash = link[s].headHash;
          guessVersion = link[s].headVersion; guessSecret = link[s].headSecret;
#ifdef BUG_ABSENT
          seenVersion = guessVersion;
#endif
#ifdef TIME
          guessAge[r] = link[s].age
#endif
       :: else -> forget(); hasMissed = true
       fi;
       clear(s);
       goto again }
  :: atomic { link[s].state == gone -> link[s].state = idle; doubt() }
  :: atomic { faults > 0 && link[s].state != gone -> faults--; abandon(); doubt() }
  :: atomic { faults > 0 -> faults--; goto crash }
  fi;
  atomic {                                   /* the answer is lost: only the log knows */
#if defined(BUG_RESEND)
    look(); lost = 0;
#elif defined(BUG_UNLOCKED)
    lost--; id = lostId[lost]; ownNonce = lostNonce[lost]; ownSecret = lostSecret[lost];
    if :: id <= headId && nonce[id] == ownNonce -> release(id); finish(); goto next :: else -> look() fi;
#else
    forget();
#endif
    goto again }
reading:
  atomic {
#if defined(BUG_READ_GUESS) || defined(BUG_SHARED_READ)
    if :: isKnown :: else -> look() fi;
#else
    if :: isKnown && guessVersion == version && guessSecret == rowSecret :: else -> look() fi;
#endif
    assert(seenVersion >= arrivedVersion || arrivedFailovers != failovers);   /* READ */
    finish(); goto next }
crash:                                       /* memory is lost, and what was sent may still run */
  atomic { abandon(); forget(); finish(); goto next }
done: skip
}

#ifdef TIME
/* Nothing grows older than OLD, which is what makes all older times one state. */
inline grow(x) { if :: x < OLD -> x++ :: else fi }

proctype Clock() {
end: do
  :: atomic { now < LAST_TICK -> now++;
       i = 0;
       do
       :: i < ENTRIES ->
          grow(entryAge[i]);
          if :: i < 4 -> grow(link[i].age) :: else fi;
          if :: i < 2 -> grow(guessAge[i]); grow(requestAge[i]) :: else fi;
          i++
       :: else -> break
       od;
       i = 0 }
  od
}

#ifdef BUG_PURGE_NEW
#define CAN_GO(id) true
#else
#define CAN_GO(id) (entryAge[id] == OLD)
#endif

/* Removes the oldest entries, in a transaction that holds the lock. The head keeps the newest nonce. */
proctype Purge() {
end: do
  :: atomic { lock == 0 && purgedThrough < headId && CAN_GO(purgedThrough + 1) -> purgedThrough++ }
  od
}
#endif

#ifdef FAILOVER
proctype Failover() {
end: atomic { faults > 0 -> faults--; failovers++;
#ifdef ASYNC
    do
    :: headId > 0 ->
#ifdef BUG_SURVIVE
       assert(!isReleased[headId]);                                 /* SURVIVE */
#endif
       if :: kind[headId] == change -> version-- :: else fi;
       hash[headId] = 0; nonce[headId] = 0; request[headId] = 0; secret[headId] = 0; kind[headId] = 0;
       isReleased[headId] = false; headId--
    :: break
    od;
#endif
    rowSecret = 0; i = 1;
    do
    :: i <= headId -> if :: kind[i] == person -> rowSecret = secret[i]; break :: else -> i++ fi
    :: else -> break
    od;
    lock = 0; i = 0;
    do
    :: i < 4 ->                              /* all connections are gone, and with them what they ran */
       if
       :: link[i].state != idle ->
          if :: link[i].isForgotten -> link[i].state = idle :: else -> link[i].state = gone fi;
          clear(i)
       :: else
       fi;
       i++
    :: else -> break
    od;
    i = 0 }
}
#endif

init { atomic {
  i = 0;
  do :: i < 4 -> link[i].state = idle; link[i].age = OLD; run Session(i); i++ :: else -> break od;
  i = 0;
  run Replica(0); run Replica(1);
#ifdef FAILOVER
  run Failover();
#endif
#ifdef TIME
  run Clock(); run Purge();
#endif
} }
