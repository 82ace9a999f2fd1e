// Bugs that the trials must notice: each names the checks that fail because of it. They are chosen by hand, because a tool
// such as Stryker makes hundreds of small ones per file for unit tests, and judging a single one takes a trial a minute.
interface Change {
  readonly file: string;
  readonly search: string;
  readonly replace: string;
}

export interface Mutation {
  readonly name: string;
  readonly changes: readonly Change[];
  /** Maps each trial (`part:trial`) to the checks that must fail if the program contains the mutation. */
  readonly fails: Readonly<Record<string, readonly string[]>>;
}

type ChangeFields = readonly [file: string, search: string, replace: string];

const server = 'packages/server/src';
const log = 'packages/log/src';
const manual = 'docs/operating/backups.md';

function mutation(name: string, fails: Mutation['fails'], ...changes: readonly ChangeFields[]): Mutation {
  return { name, fails, changes: changes.map(([file, search, replace]) => ({ file, search, replace })) };
}

const uncheckedTime: ChangeFields = [
  `${server}/store/schema-functions.ts`,
  'if moment not between present - 10000 and present + 1000 then',
  'if false then',
];
const ownTimeInChanges: readonly ChangeFields[] = [
  [
    `${server}/state/change.ts`,
    'authorize(state, apiKey, caller, row.now);',
    'authorize(state, apiKey, caller, Date.now());',
  ],
  [`${server}/state/change.ts`, 'time: row.now, entryId', 'time: Date.now(), entryId'],
  uncheckedTime,
];
const withoutAgreement: ChangeFields = [
  `${server}/state/clock.ts`,
  'if (Math.abs(ahead) <= mostDisagreement) return;',
  'if (ahead !== null) return;',
];
const ownTime: ChangeFields = [
  `${server}/state/clock.ts`,
  'return Math.floor(performance.now() + this.#offset);',
  'return Date.now();',
];
const chargedToTheTenant: ChangeFields = [
  `${server}/state/sign-ins.ts`,
  "turns.begin('no tenant', { signal, cost })",
  'turns.begin(tenantId, { signal, cost })',
];
const shortPause: ChangeFields = [
  `${server}/state/key-sets.ts`,
  'const pause = 30_000;',
  'const pause = 300;',
];
const onceInHalfAMinute = 'each server fetches the keys of a sign-in, and at most once in 30 s';

/** The checks of the latency of a tenant whose sign-in strangers name. */
const latenciesOf = (way: string): readonly string[] => [
  `the named tenant's p99 latency, ${way} is at most 50 ms, or 2 times its latency while another server gets the flood`,
  `the tenant's median latency, ${way} is at most 2 times its latency while another server gets the flood`,
];

export const mutations: readonly Mutation[] = [
  mutation(
    'answer-before-commit',
    {
      'faults:database': ['the audit log has the entries of every successful request'],
      'failover:asynchronous-load': [
        'the audit log has the entries of every successful request after the promotion',
      ],
    },
    [`${server}/state/commit.ts`, '  view.room.putBack(batch);\n', "  settle(batch, 'written');\n"],
  ),
  mutation('uncaught-errors-of-the-driver', { 'faults:database': ['no server process ends unexpectedly'] }, [
    `${server}/app/serve.ts`,
    'if (isDriverFault(error)) {',
    'if (isDriverFault(error) && error.message === "") {',
  ]),
  mutation(
    'gaps-between-ids',
    { 'faults:servers': ['the ids of audit entries have no gap', 'the audit chain is valid'] },
    [
      `${server}/state/chain.ts`,
      'const nextId = (): number => expected.id + hashes.length + 1;',
      'const nextId = (): number => expected.id + 2 * hashes.length + 2;',
    ],
    [
      `${server}/state/chain.ts`,
      'const last = { id: expected.id + hashes.length,',
      'const last = { id: expected.id + 2 * hashes.length,',
    ],
    [`${server}/store/schema-functions.ts`, 'expected_id + number,', 'expected_id + 2 * number,'],
  ),
  mutation(
    'faults-of-the-database-are-internal-errors',
    { 'faults:database': ['every error response is 503 unavailable or 500 audit_unwritten'] },
    [
      `${server}/state/decide.ts`,
      'if (error instanceof Refusal || error instanceof StateMoved || !isDatabaseFault(error)) return error;',
      'if (error) return error;',
    ],
  ),
  mutation(
    'no-deadlines',
    {
      'pgbouncer:retry-15': ['no request takes longer than 6 s'],
    },
    [`${server}/state/decide.ts`, 'start + timeLimit(4_500);', 'start + timeLimit(45_000);'],
    [
      `${server}/store/database.ts`,
      'const timer = setTimeout(giveUp, milliseconds);',
      'const timer = setTimeout(giveUp, 10 * milliseconds);',
    ],
  ),
  mutation(
    'closed-pools-stay',
    {
      'faults:database': [
        'both servers serve again within 5000 ms',
        'when all servers serve again, every request succeeds',
      ],
      'pgbouncer:retry-1': [
        'servers recover by themselves',
        'some seconds after the fault, every request succeeds',
      ],
      'failover:synchronous-silent': [
        'each server serves requests within 10000 ms after the promotion of the standby',
        'once unwraps succeed, GET /v1/audit succeeds at the first attempt',
      ],
    },
    [`${server}/store/database.ts`, 'if (one !== this && !isDead(one)) continue;', 'continue;'],
  ),
  mutation(
    'a-minute-of-rest-after-a-fault',
    {
      'failover:synchronous-closed': [
        'each server serves requests within 5000 ms after the promotion of the standby',
      ],
    },
    [`${server}/state/commit.ts`, 'await sleep(50);', 'await sleep(60_000);'],
  ),
  mutation(
    'lost-logs-are-not-served',
    {
      'failover:asynchronous-load': ['the servers serve requests after the promotion of the standby'],
      'failover:asynchronous-state': ['a server serves the tenant after the failover'],
    },
    [
      `${server}/state/tenants.ts`,
      'if (!this.timelines.continues(tenantId, last, head)) this.forget(tenantId);',
      "if (!this.timelines.continues(tenantId, last, head)) throw new Error('entries are missing from the log');",
    ],
    [`${server}/state/remembered.ts`, 'asked.isLost = true;', ''],
    [`${server}/state/remembered.ts`, 'if (last) last.isLost = true;', ''],
  ),
  mutation('append-behind-any-hash', { 'failover:asynchronous-state': ['the audit chain is valid'] }, [
    `${server}/store/schema-functions.ts`,
    'and hash = expected_hash and state_id',
    'and state_id',
  ]),
  mutation(
    'states-named-by-a-number',
    {
      'failover:asynchronous-state': [
        'a data key that one server wraps can be unwrapped on another',
        'a revoked API key is refused',
      ],
    },
    [`${server}/state/tenant-view.ts`, '&& sameBytes(this.name.state_hash, state_hash)', ''],
    [
      `${server}/state/tenants.ts`,
      'if (!this.timelines.continues(tenantId, last, head)) this.forget(tenantId);',
      'this.timelines.continues(tenantId, last, head);',
    ],
  ),
  mutation(
    'losses-without-alarm',
    {
      'failover:asynchronous-state': ['eaas_audit_head_went_back_total counts the loss of every tenant'],
      'failover:asynchronous-load': ['each server that saw the lost entries counts the loss'],
    },
    [`${server}/state/remembered.ts`, 'this.wentBack++;', ''],
  ),
  mutation(
    'alarms-without-loss',
    { 'failover:synchronous-closed': ['a server reports no loss of entries if none was lost'] },
    [
      `${server}/state/remembered.ts`,
      'if (seen.id >= asked.id && (!then || sameBytes(then, asked.hash))) return true;',
      '',
    ],
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
      `${server}/operations/key-crypto.ts`,
      "const place = { purpose: 'dek', tenantId, keyId, version } as const;",
      "const place = { purpose: 'dek', tenantId: `${tenantId}${process.pid}`, keyId, version } as const;",
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
      'packages/cli/src/failure.ts',
      'if (isDatabaseFault(error)) {',
      'if (isDatabaseFault(error) && !error.stack) {',
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
    [`${server}/state/chain.ts`, 'created_at = Math.max(now, head.created_at);', 'created_at = now;'],
  ),
  mutation(
    'own-clock-for-expiry',
    { 'clocks:replica-ahead': ['an API key that has 90 days left is not expired'] },
    ['packages/protocol/src/service/authorize.ts', '?? Infinity) <= time', '?? Infinity) <= Date.now()'],
  ),
  mutation(
    'own-clock-in-changes',
    {
      'clocks:replica-ahead': [
        'a key is due for destruction at the end of its grace period',
        'an API key with an expiry in 90 days can be created',
      ],
    },
    ...ownTimeInChanges,
  ),
  mutation(
    'once-expired-always-expired',
    { 'clocks:replica-ahead': ['every server serves again once the clock is correct'] },
    [
      'packages/protocol/src/service/authorize.ts',
      'export interface Reach {',
      'let latest = 0;\nexport interface Reach {',
    ],
    [
      'packages/protocol/src/service/authorize.ts',
      'if (revoked_at !== null || (expires_at ?? Infinity) <= time)',
      'latest = Math.max(latest, Date.now());\n  if ((expires_at ?? Infinity) <= latest)',
    ],
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
      `${server}/store/keys.ts`,
      'where (next_rotation_at <= (select eaas.now_ms())',
      'where (next_rotation_at <= ${Date.now()}',
    ],
    [`${server}/store/keys.ts`, '(destroy_at <= (select eaas.now_ms())', '(destroy_at <= ${Date.now()}'],
    withoutAgreement,
    ...ownTimeInChanges,
  ),
  mutation(
    'purges-by-the-own-clock',
    { 'clocks:replica-start': ['no entry is purged before its time'] },
    withoutAgreement,
    [`${server}/jobs/purge.ts`, 'monthsEarlier(service.clock.now(),', 'monthsEarlier(Date.now(),'],
    [`${server}/jobs/purge.ts`, '(await databaseTime(tx), months));', '(Date.now(), months));'],
    [
      `${server}/jobs/purge.ts`,
      'if (previousTime >= monthsEarlier(await databaseTime(tx), months)) {',
      'if (previousTime >= monthsEarlier(Date.now(), months)) {',
    ],
    [
      `${server}/jobs/purge.ts`,
      'const last = Math.min(old, first + stepSize - 1, await countedThrough(sql, tenantId));',
      'const last = Math.min(old, first + stepSize - 1);',
    ],
  ),
  mutation(
    'entries-of-the-future-unreported',
    {
      'clocks:database-ahead': [
        'verification reports the entries with a time in the future, and nothing else',
      ],
    },
    [
      `${server}/operations/verify/entries.ts`,
      "if (createdAt > walk.latest) findings.add('entry_in_future', id);",
      '',
    ],
  ),
  mutation('intake-at-once', { 'hostile:legal': ['no request blocks the event loop for more than 50 ms'] }, [
    `${server}/operations/intake.ts`,
    'isCounted: false });\n          yield;',
    'isCounted: false });',
  ]),
  mutation(
    'checkpoints-ahead-hold',
    {
      'restore:drill': [
        'verification against a later checkpoint by the commands in the manual exits with code 1',
        'verification against a later checkpoint reports checkpoint_ahead',
      ],
    },
    [`${server}/operations/verify/ends.ts`, "return 'checkpoint_ahead';", 'return undefined;'],
  ),
  mutation(
    'checkpoints-of-a-lost-log-hold',
    {
      'failover:asynchronous-load': [
        'verification against a checkpoint from before the promotion finds the loss',
      ],
    },
    [
      `${server}/operations/verify/ends.ts`,
      "return known && sameBytes(known.hash, stated.hash) ? undefined : 'checkpoint_mismatch';",
      "return known && sameBytes(known.hash, known.hash) ? undefined : 'checkpoint_mismatch';",
    ],
    [`${server}/operations/verify/ends.ts`, "return 'checkpoint_ahead';", 'return undefined;'],
  ),
  mutation(
    'equal-checkpoints-are-ahead',
    {
      'restore:drill': [
        'verification against the new checkpoint by the commands in the manual exits with code 0',
      ],
    },
    [
      `${server}/operations/verify/ends.ts`,
      "if (stated.id > head.id) return 'checkpoint_ahead';",
      "if (stated.id >= head.id) return 'checkpoint_ahead';",
    ],
  ),
  mutation(
    'a-manual-with-another-dump',
    { 'restore:drill': ['backup by the commands in the manual exits with code 0'] },
    [
      manual,
      'pg_dump -h db.example -U eaas_owner -Fc eaas > eaas.dump',
      'pg_dump -h db.example -U eaas_owner -Fx eaas > eaas.dump',
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
      'packages/protocol/src/service/refusal.ts',
      "new Refusal(\n    'not_found',\n    `Key not found",
      "new Refusal(\n    'permission_missing',\n    `Key not found",
    ],
  ),
  mutation(
    'a-server-that-may-delete',
    { 'restore:drill': ["the server's role may neither delete nor truncate entries"] },
    [
      `${server}/store/migrate.ts`,
      'await sql`grant select on all tables in schema eaas to ${to}`;',
      'await sql`grant select, truncate, delete on all tables in schema eaas to ${to}`;',
    ],
    [
      `${server}/store/schema-functions.ts`,
      "if tg_op = 'DELETE' and current_setting('eaas.erasing', true) = old.tenant_id::text then",
      "if tg_op = 'DELETE' then",
    ],
  ),
  mutation(
    'origins-of-any-length',
    { 'hostile:illegal': ['every response has the expected status, and none is 5xx'] },
    ['packages/protocol/src/wire/limits.ts', 'origin: 256,', 'origin: 4_000_000,'],
  ),
  mutation('checkpoints-refused', { 'hostile:legal': ['the trial can make inputs for every route'] }, [
    `${server}/operations/audit.ts`,
    "'GET /v1/audit/checkpoint': reading(async (tx, { state }) => {",
    "'GET /v1/audit/checkpoint': reading(async (tx, { state }) => {\n    if (state) throw new Error('refused');",
  ]),
  mutation(
    'bodies-without-a-share',
    { 'fairness:uploads': ['the server uses less than 400 MiB of memory'] },
    [
      `${server}/admission/admission.ts`,
      'large_bodies: new Shares({ capacity: 32 * mebi, perTenant: 8 * mebi })',
      'large_bodies: new Shares({ capacity: 8_192 * mebi })',
    ],
  ),
  mutation(
    'lists-shown-without-a-share',
    { 'fairness:issuers': ['the server uses less than 400 MiB of memory'] },
    [
      `${server}/operations/operation.ts`,
      '1, work, caller.signal)',
      '1, find, caller.signal).then((found) => show(found, service, caller))',
    ],
  ),
  mutation(
    'signatures-in-one-line',
    {
      'fairness:sign-ins': [
        'forged tokens of one tenant make the sign-ins of another at most 1.5 times as long as unknown API keys',
      ],
    },
    [
      `${server}/admission/admission.ts`,
      'signatures: new Shares({ capacity: 2 })',
      'signatures: new Shares({ capacity: 20_000 })',
    ],
  ),
  mutation(
    'one-tenant-may-take-all',
    { 'fairness:uploads': ['the second tenant is never refused'] },
    [`${server}/admission/admission.ts`, ': 32 * mebi, perTenant: 8 * mebi })', ': 32 * mebi })'],
    [`${server}/admission/shares.ts`, 'held === 0 || held + units <= (free + held) / 2;', 'true;'],
    [`${server}/http/body.ts`, "? 'large_bodies' : 'small_bodies'", "? 'large_bodies' : 'large_bodies'"],
  ),
  mutation(
    'a-flooded-share-is-closed',
    { 'fairness:verifies': ['some requests of the flooding tenant succeed'] },
    [
      `${server}/admission/admission.ts`,
      'verifications: new Shares({ capacity: 2, perTenant: 1 })',
      'verifications: new Shares({ capacity: 2, perTenant: 0 })',
    ],
  ),
  mutation(
    'verifications-keep-their-places',
    { 'fairness:verifiers': ['each verification of the third tenant succeeds within 5 seconds'] },
    [`${server}/operations/audit.ts`, 'verifications.delaysOthers(tenantId)', 'false'],
  ),
  mutation(
    'responses-to-strangers-without-turns',
    {
      'fairness:pages': [
        "the tenant's median latency is at most 2 times its latency while another server gets the flood",
      ],
    },
    [`${server}/http/hooks.ts`, 'else inTurn(request, send);', 'else send();'],
    [
      `${server}/http/pages.ts`,
      'return hasPage(request, etag) ? reply.code(304).send() : reply.send(bytes);',
      'return reply.send(Buffer.from(bytes.toString()));',
    ],
  ),
  mutation(
    'forged-tokens-charged-to-their-tenant',
    { 'fairness:forged': [...latenciesOf('by its API key')] },
    chargedToTheTenant,
  ),
  mutation(
    'forged-tokens-crowd-their-tenant-out',
    { 'fairness:forged': ['the named tenant is never refused, by its API key'] },
    chargedToTheTenant,
    [`${server}/admission/turns.ts`, 'const patience = 2_000;', 'const patience = 60;'],
  ),
  mutation('verified-tokens-forgotten', { 'fairness:forged': [...latenciesOf('by a remembered token')] }, [
    `${server}/state/sign-ins.ts`,
    'if (this.#verified.get(tenantId)?.get(name) === key.thumbprint) return;',
    '',
  ]),
  mutation('keys-fetched-without-a-pause', { 'fairness:key-host': [onceInHalfAMinute] }, shortPause),
  mutation(
    'key-sets-without-a-size',
    { 'fairness:key-host': ['a server takes less than 12 MiB of a host that sends without end'] },
    [`${server}/state/key-hosts.ts`, 'if (length > limits.keySet)', 'if (length > Infinity)'],
  ),
  mutation(
    'known-keys-wait-for-a-fetch',
    { 'fairness:key-host': [...latenciesOf('by a remembered token')] },
    shortPause,
    [`${server}/state/key-sets.ts`, 'while (!this.#fits(', 'while (this.#running.has(name) || !this.#fits('],
  ),
  mutation(
    'fetched-keys-count-for-a-second',
    { 'fairness:key-host': ['the named tenant is never refused, by a remembered token'] },
    [`${server}/state/key-sets.ts`, '[600_000, 86_400_000]', '[600_000, 1_000]'],
  ),
  mutation('unknown-tokens-one-by-one', { 'fairness:restart': ['the first call of every tenant succeeds'] }, [
    `${server}/state/tokens.ts`,
    'const mostTogether = 1_000;',
    'const mostTogether = 1;',
  ]),
  mutation(
    'states-forgotten-by-a-change',
    { 'fairness:changes': ['70 changes per second leave at least half of the throughput of unwraps'] },
    [`${server}/state/tenants.ts`, 'if (rowId === tenantId) {', 'if (tenantId) {'],
  ),
  mutation(
    'parse-before-the-limits',
    {
      'hostile:junk': ['no request blocks the event loop for more than 50 ms'],
      'fairness:brackets': [
        "the second tenant's p99 latency is at most 50 ms, or 2 times its latency while another server gets the flood",
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
