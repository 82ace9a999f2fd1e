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

export const mutations: readonly Mutation[] = [
  mutation('uncaught-errors-of-the-driver', { 'faults:database': ['no server process ends unexpectedly'] }, [
    `${server}/app/serve.ts`,
    'if (isDriverFault(error)) {',
    'if (isDriverFault(error) && error.message === "") {',
  ]),
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
      `${service}/rules/refusal.ts`,
      "new Refusal(\n    'not_found',\n    `Key not found",
      "new Refusal(\n    'permission_missing',\n    `Key not found",
    ],
  ),
  mutation(
    'origins-of-any-length',
    { 'hostile:illegal': ['every response has the expected status, and none is 5xx'] },
    ['packages/protocol/src/wire/limits.ts', 'origin: 256,', 'origin: 4_000_000,'],
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
