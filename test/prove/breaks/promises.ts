// Breaks of what `test/kept` says that a release has promised beside stored data. Its lists must notice each, and name the promise.
import type { Break } from '../breaks.ts';

const [cli, wire] = ['packages/cli/src', 'packages/protocol/src/wire'];
const metrics = 'packages/server/src/http/metrics.ts';

const lists: readonly (readonly [name: string, file: string, find: string, replace: string])[] = [
  ['an-exit-code-changed', `${cli}/failure.ts`, 'refused: 1', 'refused: 5'],
  ['a-metric-renamed', metrics, 'eaas_audit_conflicts_total', 'eaas_audit_repeats_total'],
  ['a-label-of-a-metric-renamed', metrics, "counts.byAction, 'action'", "counts.byAction, 'kind'"],
  ['an-option-renamed', `${cli}/program.ts`, "'--yes', 'use", "'--sure', 'use"],
  ['an-option-of-eaas-files-renamed', 'packages/files/src/decrypt.ts', '-f, --force', '-f, --overwrite'],
  ['an-option-of-migrate-renamed', 'packages/migrate/src/decrypt.ts', '  --leave-erased', '  --lose-erased'],
  ['an-option-that-a-command-needs', `${cli}/tenant.ts`, ".option('--key", ".requiredOption('--key"],
  [
    'a-status-of-a-problem-changed',
    `${wire}/problems.ts`,
    'name_taken: { status: 409',
    'name_taken: { status: 400',
  ],
  ['a-code-of-a-problem-renamed', `${wire}/problems.ts`, 'key_state: { status', 'state_of_key: { status'],
  ['an-export-gone', 'packages/sdk/src/index.ts', '  SubjectName,\n', ''],
  ['a-variable-renamed', `${cli}/variables.ts`, 'EAAS_DRAIN_SECONDS |', 'EAAS_DRAIN |'],
  [
    'a-default-of-a-variable-changed',
    `${cli}/variables.ts`,
    'EAAS_PORT | \\`8080\\`',
    'EAAS_PORT | \\`8081\\`',
  ],
  [
    'a-member-of-a-response-gone',
    `${wire}/server-mode.ts`,
    'hash: fingerprint, key_id: uuid',
    'hash: fingerprint',
  ],
  [
    'a-member-that-a-request-needs',
    `${wire}/server-mode.ts`,
    'key_id: keyId, context: z.optional(context)',
    'key_id: keyId, context',
  ],
  ['an-endpoint-gone', `${wire}/endpoints.ts`, '  ...usage,\n', ''],
  [
    'an-endpoint-with-another-permission',
    `${wire}/usage.ts`,
    "permission: 'usage.read'",
    "permission: 'audit.read'",
  ],
];

/** Of the declarations in the build, and of the commands on a database. */
const slow: typeof lists = [
  [
    'an-option-of-another-type',
    'packages/sdk/src/client/encrypt.ts',
    'scope?: string | undefined',
    'scope?: number | undefined',
  ],
  [
    'an-option-that-a-call-needs',
    'packages/sdk/src/client/encrypt.ts',
    '  readonly fresh?',
    '  readonly why: string;\n  readonly fresh?',
  ],
  ['an-error-renamed', 'packages/protocol/src/log/tlog.ts', "name = 'LogProofError'", "name = 'ProofError'"],
  [
    'a-member-of-json-renamed',
    `${cli}/doctor/finding.ts`,
    '({ check, ...verdict })',
    '({ name: check, ...verdict })',
  ],
];

const notice = (tests: string, places: typeof lists): Break[] =>
  places.map(([name, file, find, replace]) => ({ name, file, find, replace, tests: [tests] }));

export const breaks = [
  ...notice('test/kept/kept.test.ts', lists),
  ...notice('test/kept/kept.slow.test.ts', slow),
];
