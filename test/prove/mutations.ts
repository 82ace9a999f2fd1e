// Bugs that the trials must notice: each names the checks that fail because of it, or the tests of a file, which take less
// time. They are chosen by hand, because a tool such as Stryker makes hundreds of small ones per file for unit tests, and
// judging a single one takes a trial a minute.
interface Change {
  readonly file: string;
  readonly search: string;
  readonly replace: string;
}

export interface Mutation {
  readonly name: string;
  readonly changes: readonly Change[];
  /** Maps trials (`part:trial`) and files of tests to the checks that must fail if the program contains the mutation. */
  readonly fails: Readonly<Record<string, readonly string[]>>;
}

type ChangeFields = readonly [file: string, search: string, replace: string];

const server = 'packages/server/src';
const service = 'packages/service/src';
const log = 'packages/log/src';
const manual = 'docs/operating/backups.md';

function mutation(name: string, fails: Mutation['fails'], ...changes: readonly ChangeFields[]): Mutation {
  return { name, fails, changes: changes.map(([file, search, replace]) => ({ file, search, replace })) };
}

const uncheckedTime: ChangeFields = [
  `${server}/postgres/functions.ts`,
  'if moment not between present - 10000 and present + 1000 then',
  'if false then',
];
const ownTime: ChangeFields = [
  `${service}/ledger/clock.ts`,
  'return Math.floor(performance.now() + this.#offset);',
  'return Date.now();',
];
const ownTimeInChanges: readonly ChangeFields[] = [
  [
    `${service}/ledger/queue.ts`,
    'this.#judge(guess, staying, known.time);',
    'this.#judge(guess, staying, Date.now());',
  ],
  uncheckedTime,
];
const withoutAgreement: ChangeFields = [
  `${server}/jobs/clock.ts`,
  'if (fault !== undefined) throw',
  'if (fault === null) throw',
];

const shortPause: ChangeFields = [
  `${server}/plugins/key-sets.ts`,
  'const pause = 30_000;',
  'const pause = 300;',
];
const signInTests = 'packages/server/src/plugins/sign-ins.service.test.ts';

const apiTests = 'packages/server/src/http/api.test.ts';
const costs = 'a call takes more of the server for a long body, a list and a verification';
const decidedOnce = 'two replicas that lose a third of their answers decide everything once, in one order';

export const mutations: readonly Mutation[] = [
  mutation(
    'answer-before-commit',
    {
      'faults:database': ['the audit log has the entries of every successful request'],
      'cut-connections:wraps': ['each answer has its entry'],
    },
    [
      `${service}/ledger/queue.ts`,
      'await this.#write(batch, [...lost, ...also]);',
      'if (begun) this.#release(begun, batch);\n    else await this.#write(batch, [...lost, ...also]);',
    ],
  ),
  mutation(
    'uncaught-errors-of-the-driver',
    {
      'packages/server/test/faults/driver-fault.slow.test.ts': [
        'a replica survives a connection that ends without a message during a transaction',
      ],
    },
    [
      `${server}/app/serve.ts`,
      'if (isDriverFault(error)) {',
      'if (isDriverFault(error) && error.message === "") {',
    ],
  ),
  mutation(
    'gaps-between-ids',
    { 'faults:servers': ['the ids of audit entries have no gap', 'the audit chain is valid'] },
    [
      `${service}/ledger/link.ts`,
      'return expected.id + hashes.length + 1;',
      'return expected.id + 2 * hashes.length + 2;',
    ],
    [
      `${service}/ledger/link.ts`,
      'const end = { id: expected.id + hashes.length,',
      'const end = { id: expected.id + 2 * hashes.length,',
    ],
    [`${server}/postgres/functions.ts`, 'expected_id + number,', 'expected_id + 2 * number,'],
  ),
  mutation(
    'faults-of-the-database-are-internal-errors',
    { 'faults:database': ['every error response is 503 unavailable or 500 audit_unwritten'] },
    [`${service}/ledger/place.ts`, 'throw unreachable(error);', 'throw error;'],
  ),
  mutation(
    'no-deadlines',
    {
      'packages/server/src/postgres/database.service.test.ts': [
        'if a connection is unresponsive, its pool and all pools without a recent response are replaced',
      ],
    },
    [
      `${server}/postgres/database.ts`,
      'const timer = setTimeout(giveUp, milliseconds);\n    void work',
      'const timer = setTimeout(giveUp, 10 * milliseconds);\n    void work',
    ],
  ),
  mutation(
    'closed-pools-stay',
    {
      'packages/server/src/postgres/database.service.test.ts': [
        'if a pool loses a connection, every pool on the same server opens a new connection',
      ],
    },
    [`${server}/postgres/database.ts`, 'if (one !== this && !isDead(one)) continue;', 'continue;'],
  ),
  mutation(
    'a-minute-of-rest-after-a-fault',
    {
      'failover:synchronous-closed': [
        'each server serves requests within 5000 ms after the promotion of the standby',
      ],
    },
    [`${service}/ledger/queue.ts`, 'const pauseAfterFault = 50;', 'const pauseAfterFault = 60_000;'],
  ),
  mutation(
    'lost-logs-are-not-served',
    {
      'failover:asynchronous-load': ['the servers serve requests after the promotion of the standby'],
      'failover:asynchronous-state': ['a server serves the tenant after the failover'],
    },
    [
      `${service}/ledger/place.ts`,
      'this.ground.listener.wentBack?.(this.tenantId);\n      this.forget();',
      "throw new Error('entries are missing from the log');",
    ],
  ),
  mutation(
    'append-behind-any-head',
    {
      'packages/server/src/postgres/postgres-store.service.test.ts': [
        'nothing is written after a head that has moved, or at another time',
      ],
      'failover:asynchronous-state': ['the audit chain is valid'],
    },
    [
      `${server}/postgres/functions.ts`,
      ' and id = expected_id and mac = expected_mac;',
      ' and id = expected_id;',
    ],
  ),
  mutation(
    'losses-without-alarm',
    {
      'failover:asynchronous-load': ['each server that saw the lost entries counts the loss'],
    },
    [`${server}/app/service.ts`, 'wentBack: () => void counts.wentBack++,', 'wentBack: () => {},'],
  ),
  mutation(
    'wrapped-keys-of-one-process',
    {
      'failover:asynchronous-load': [
        'every data key wrapped after the promotion can be unwrapped on the other server',
      ],
      'restore:drill': ['a data key from before the backup can be unwrapped'],
    },
    [
      `${service}/rules/key-crypto.ts`,
      "sealer(ikm, { purpose: 'dek', tenantId, keyId, version },",
      "sealer(ikm, { purpose: 'dek', tenantId: `${tenantId}${process.pid}`, keyId, version },",
    ],
  ),
  mutation(
    'stacks-for-operators',
    {
      'pgbouncer:start': [
        'a server that cannot start exits with code 3',
        'a server that cannot start prints no stack trace',
      ],
    },
    [
      'packages/server/src/postgres/faults.ts',
      'if (!isDatabaseFault(error) && !(isDatabaseError(error) && remedy)) return error;',
      'if (isDatabaseFault(error) || !remedy) return error;',
    ],
  ),
  mutation(
    'own-clock',
    {
      'clocks:replica-ahead': [
        'no audit entry has a time in the future',
        'no tenant encrypts more often than its monthly quota allows',
      ],
    },
    ownTime,
    uncheckedTime,
  ),
  mutation(
    'own-clock-behind',
    {
      'clocks:replica-behind': [
        'no audit entry has a time before the trial',
        'an expired API key stays expired',
      ],
    },
    ownTime,
    uncheckedTime,
    [`${service}/ledger/judge.ts`, 'head, Math.max(now, head.created_at), sum);', 'head, now, sum);'],
  ),
  mutation(
    'own-clock-for-expiry',
    { 'clocks:replica-ahead': ['an API key that has 90 days left is not expired'] },
    [`${service}/rules/authorize.ts`, '?? Infinity) <= now', '?? Infinity) <= Date.now()'],
  ),
  mutation(
    'once-expired-always-expired',
    { 'clocks:replica-ahead': ['every server serves again once the clock is correct'] },
    [
      `${service}/rules/authorize.ts`,
      'export interface Holder extends Reach {',
      'let latest = 0;\nexport interface Holder extends Reach {',
    ],
    [
      `${service}/rules/authorize.ts`,
      'if (revoked_at !== null || (expires_at ?? Infinity) <= now)',
      'latest = Math.max(latest, Date.now());\n  if ((expires_at ?? Infinity) <= latest)',
    ],
  ),
  mutation(
    'own-clock-in-changes',
    {
      'clocks:replica-ahead': ['a key is due for destruction at the end of its grace period'],
    },
    ...ownTimeInChanges,
  ),
  mutation(
    'due-keys-by-the-own-clock',
    {
      'clocks:replica-ahead': [
        'a key is not erased before the end of its grace period',
        'a data key that a restored key wrapped can be unwrapped',
        'no key is rotated before its time',
      ],
    },
    [
      `${server}/jobs/due-keys.ts`,
      'where (next_rotation_at <= (select eaas.now_ms())',
      'where (next_rotation_at <= ${Date.now()}',
    ],
    [`${server}/jobs/due-keys.ts`, '(destroy_at <= (select eaas.now_ms())', '(destroy_at <= ${Date.now()}'],
    withoutAgreement,
    ...ownTimeInChanges,
  ),
  mutation(
    'purges-by-the-own-clock',
    { 'clocks:replica-start': ['no entry is purged before its time'] },
    withoutAgreement,
    [`${server}/jobs/purge.ts`, 'monthsEarlier(service.ledger.clock.now(),', 'monthsEarlier(Date.now(),'],
    [
      `${server}/jobs/purge.ts`,
      'monthsEarlier(await databaseTime(sql), months)',
      'monthsEarlier(Date.now(), months)',
    ],
    [
      `${server}/jobs/purge.ts`,
      'if (time >= monthsEarlier(await databaseTime(tx), months))',
      'if (time >= monthsEarlier(Date.now(), months))',
    ],
  ),
  mutation(
    'entries-of-the-future-unreported',
    {
      'packages/service/src/verify/verify.test.ts': ['an entry more than a minute in the future is found'],
    },
    [`${service}/verify/entries.ts`, "if (time > latest) report(findings, 'entry_in_future', id);", ''],
  ),
  mutation(
    'checkpoints-ahead-hold',
    {
      'restore:drill': [
        'verification against a later checkpoint by the commands in the manual exits with code 1',
        'verification against a later checkpoint reports checkpoint_ahead',
      ],
    },
    [`${service}/verify/verify.ts`, "return 'checkpoint_ahead';", 'return undefined;'],
  ),
  mutation(
    'checkpoints-of-a-lost-log-hold',
    {
      'packages/service/src/verify/verify.test.ts': ['contradicts a log whose entry at its place is another'],
      'failover:asynchronous-load': [
        'verification against a checkpoint from before the promotion finds the loss',
      ],
    },
    [`${service}/verify/verify.ts`, 'isBytes(hash) && sameBytes(hash, one.hash) ?', 'isBytes(hash) ?'],
    [`${service}/verify/verify.ts`, "return 'checkpoint_ahead';", 'return undefined;'],
  ),
  mutation(
    'equal-checkpoints-are-ahead',
    { 'packages/service/src/verify/verify.test.ts': ['holds while the log extends it'] },
    [`${service}/verify/verify.ts`, 'if (one.id > head.id)', 'if (one.id >= head.id)'],
  ),
  mutation(
    'a-manual-with-another-dump',
    { 'restore:drill': ['backup by the commands in the manual exits with code 0'] },
    [
      manual,
      'pg_dump -Fc "$EAAS_MIGRATE_DATABASE_URL" > eaas.dump',
      'pg_dump -Fx "$EAAS_MIGRATE_DATABASE_URL" > eaas.dump',
    ],
  ),
  mutation(
    'a-manual-with-another-restore',
    { 'restore:drill': ['restore by the commands in the manual exits with code 0'] },
    [manual, '-U postgres --exit-on-error --dbname eaas', '-U postgres --exit-on-error --dbname other'],
  ),
  mutation(
    'a-manual-with-another-command',
    { 'restore:drill': ['acknowledgement in every log by the commands in the manual exits with code 0'] },
    [manual, 'audit acknowledge-restore --tenant "$tenant"', 'audit acknowledge --tenant "$tenant"'],
  ),
  mutation(
    'unknown-keys-are-forbidden',
    { 'restore:drill': ['a key that was created after the backup gets 404'] },
    [
      `${service}/rules/refusal.ts`,
      "new Refusal(\n    'not_found',\n    `Key not found",
      "new Refusal(\n    'permission_missing',\n    `Key not found",
    ],
  ),
  mutation(
    'a-server-that-may-delete',
    { 'restore:drill': ["the server's role may neither delete nor truncate entries"] },
    [
      `${server}/postgres/migrate.ts`,
      'await sql`grant select on all tables in schema eaas to ${to}`;',
      'await sql`grant select, truncate, delete on all tables in schema eaas to ${to}`;',
    ],
    [
      `${server}/postgres/schema.ts`,
      "if tg_op = 'DELETE' and current_setting('eaas.erasing', true) = old.tenant_id::text then",
      "if tg_op = 'DELETE' then",
    ],
  ),
  mutation(
    'origins-of-any-length',
    { 'hostile:illegal': ['every response has the expected status, and none is 5xx'] },
    ['packages/protocol/src/wire/limits.ts', 'origin: 256,', 'origin: 4_000_000,'],
  ),
  mutation(
    'bodies-without-a-share',
    { [apiTests]: [costs], 'fairness:uploads': ['the server uses less than 400 MiB of memory'] },
    [
      `${server}/http/api.ts`,
      "await traced('admission.wait', () => enter(fair, request, withBody));",
      'void [fair, withBody];',
    ],
  ),
  mutation('lists-shown-without-a-share', { [apiTests]: [costs] }, [
    `${server}/http/api.ts`,
    'field instanceof z.ZodMiniArray) ? 16 : 1;',
    'field instanceof z.ZodMiniArray) ? 0 : 1;',
  ]),
  mutation(
    'one-tenant-may-take-all',
    {
      'packages/server/src/fair.test.ts': [
        'a tenant gets half, another half of the rest, and a third whatever is free',
      ],
      'fairness:uploads': ['the second tenant is never refused'],
    },
    [`${server}/fair.ts`, '&& (held === 0 || held + cost <= (free + held) / 2);', ';'],
  ),
  mutation('calls-that-never-fit', { [apiTests]: [costs] }, [
    `${server}/http/api.ts`,
    'return 31;',
    'return 129;',
  ]),
  mutation(
    'walks-hold-everybody-up',
    { 'packages/service/src/verify/verify.test.ts': ['a walk lets others go first'] },
    [`${service}/verify/entries.ts`, 'if (service.fair.isOver()) await service.fair.pause(tenantId);', ''],
  ),
  mutation(
    'responses-to-strangers-without-a-share',
    {
      'packages/server/src/http/pages.test.ts': [
        'all of them share what strangers may use, and the probes of load balancers do not',
      ],
    },
    [`${server}/http/app.ts`, 'else void enter(fair, request).then(() => done(), done);', 'else done();'],
  ),
  mutation(
    'verified-tokens-forgotten',
    {
      'packages/service/src/plugins/issuers/issuers.test.ts': [
        'a signature is verified once, a forged one each time, and what needs none comes first',
      ],
    },
    [`${service}/plugins/issuers/index.ts`, 'if (holds) signatures.set(name, key.thumbprint);', ''],
  ),
  mutation(
    'keys-fetched-without-a-pause',
    {
      'fairness:key-host': ['each server fetches the keys of a sign-in, and at most once in 30 s'],
    },
    shortPause,
  ),
  mutation(
    'key-sets-without-a-size',
    { 'packages/server/src/plugins/key-hosts.test.ts': ['a body that does not end'] },
    [`${server}/plugins/key-hosts.ts`, 'if (length > limits.keySet)', 'if (length > Infinity)'],
  ),
  mutation(
    'known-keys-wait-for-a-fetch',
    { 'fairness:key-host': ['the named tenant is never refused, by a remembered token'] },
    shortPause,
    [
      `${server}/plugins/key-sets.ts`,
      'while (!fits(remembered.get(name), token) &&',
      'while ((running.has(name) || !fits(remembered.get(name), token)) &&',
    ],
  ),
  mutation(
    'fetched-keys-count-for-a-second',
    { [signInTests]: ['the stored ones count for a day while the host is down, and none is 503'] },
    [`${server}/plugins/key-sets.ts`, '[600_000, 86_400_000]', '[600_000, 1_000]'],
  ),
  mutation('unknown-tokens-one-by-one', { 'fairness:restart': ['the first call of every tenant succeeds'] }, [
    `${service}/tokens.ts`,
    'const mostAtOnce = 16;',
    'const mostAtOnce = 1;',
  ]),
  mutation(
    'guesses-forgotten-by-a-change',
    { 'packages/service/src/ledger/ledger.test.ts': ['a replica remembers what it has changed'] },
    [
      `${service}/ledger/place.ts`,
      'if (writes.has(refTo(tenants, this.tenantId))) this',
      'if (writes.size > 0) this',
    ],
  ),
  mutation(
    'heads-without-their-mac',
    {
      'packages/service/src/ledger/ledger.test.ts': [
        'a newer head that was changed is refused, even if no row was',
      ],
    },
    [`${service}/ledger/guess.ts`, 'this.head = this.#checked(head);', 'this.head = head;'],
  ),
  mutation(
    'nonces-not-looked-for',
    {
      'packages/service/src/ledger/ledger.test.ts': [decidedOnce],
      'cut-connections:wraps': ['nothing is written twice'],
    },
    [
      `${service}/ledger/queue.ts`,
      'judged = lost.find(({ nonce }) => nonce === known.written?.nonce);',
      'judged = undefined;',
    ],
  ),
  mutation(
    'changes-without-the-lock',
    {
      'packages/server/test/tampering/rows.slow.test.ts': [
        'reads it again before it changes it, so that the evidence stays',
      ],
    },
    [`${service}/ledger/queue.ts`, 'if (changed.length > 0) return', 'if (changed.length > Infinity) return'],
  ),
  mutation('guesses-under-a-moved-head', { 'packages/service/src/ledger/ledger.test.ts': [decidedOnce] }, [
    `${service}/ledger/place.ts`,
    'if (guess && (isSame || guess.hasRowsOf(head))) {',
    'if (guess && head.id >= guess.head.id) {',
  ]),
  mutation(
    'sums-without-their-mask',
    { 'packages/service/src/crypto/vectors.test.ts': ['the sum of rows is that of the vector'] },
    [
      `${service}/ledger/row-macs.ts`,
      "integerOf(hmac(rowSum, paeView(['eaas row sum v1', id, hash, nonce])));",
      '0n;',
    ],
  ),
  mutation(
    'parse-before-the-limits',
    {
      'hostile:junk': ['no request blocks the event loop for more than 50 ms'],
      'fairness:brackets': [
        "the second tenant's p99 latency is at most 50 ms, or 3 times its latency while another server gets the flood",
      ],
    },
    [
      'packages/protocol/src/wire/json.ts',
      '  const { values, names } = scan(text);',
      '  parse(text);\n  const { values, names } = scan(text);',
    ],
  ),
  mutation(
    'commits-before-the-wal',
    { 'citus:workers': ['the audit log has the entries of every successful request'] },
    [
      'docs/operating/citus.md',
      'wal_level = logical\n   synchronous_commit = on',
      'wal_level = logical\n   synchronous_commit = off',
    ],
  ),
  mutation(
    'a-public-log-that-goes-on-after-a-loss',
    {
      'public-log:asynchronous': [
        'the public log that lost a moment halts, with its own signature as the evidence',
        'every checkpoint that a witness signed is the beginning of the public log',
      ],
    },
    [
      `${log}/witness-context.ts`,
      'halt: (reason) => halt(context, origin, reason),',
      'halt: async () => {},',
    ],
    [`${log}/moment.ts`, 'if (seen?.origin !== origin) return;', 'if (seen?.origin !== null) return;'],
  ),
  mutation('whole-tiles-seem-changed', { 'public-log:killed': ['the public log goes on'] }, [
    `${log}/moment.ts`,
    'if (head && !sameBytes(',
    'if (head && sameBytes(',
  ]),
  mutation(
    'proofs-of-another-entry',
    { 'public-log:killed': ["the proof of every tenant's newest head verifies"] },
    [
      `${log}/proofs.ts`,
      'formatExtra({ tenantId, id, hash, time, path: siblings })',
      'formatExtra({ tenantId, id: id + 1, hash, time, path: siblings })',
    ],
  ),
  mutation(
    'a-bad-witness-holds-the-process-up',
    {
      'public-log:witnesses': [
        "a tenant's p99 latency beside bad witnesses is at most 50 ms, or 2 times that beside good ones",
      ],
    },
    [
      `${log}/witnesses.ts`,
      'const failures = (memory.failures.get(name) ?? 0) + 1;',
      'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);\n  const failures = (memory.failures.get(name) ?? 0) + 1;',
    ],
  ),
];
