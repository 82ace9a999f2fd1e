// Breaks of what `test/kept` says that a release has promised beside stored data. Its lists must notice each, and name the promise.
import { breaksIn } from '../breaks.ts';

const [cli, wire] = ['packages/cli/src', 'packages/protocol/src/wire'];
const calls = 'packages/sdk/src/client/encrypt.ts';
const metrics = 'packages/server/src/http/metrics.ts';

const lists = [
  [`${cli}/failure.ts`, 'an-exit-code', 'refused: 1', 'refused: 5'],
  [metrics, 'a-metric-renamed', 'eaas_audit_conflicts_total', 'eaas_audit_repeats_total'],
  [metrics, 'a-label-of-a-metric-renamed', "counts.byAction, 'action'", "counts.byAction, 'kind'"],
  [`${cli}/program.ts`, 'an-option-renamed', "'--yes', 'use", "'--sure', 'use"],
  [`${cli}/tenant.ts`, 'an-option-required', ".option('--key", ".requiredOption('--key"],
  ['packages/files/src/decrypt.ts', 'a-flag-renamed', '-f, --force', '-f, --overwrite'],
  ['packages/migrate/src/decrypt.ts', 'a-line-of-a-help', '  --leave-erased', '  --lose-erased'],
  [`${wire}/problems.ts`, 'a-status-of-a-problem', 'name_taken: { status: 409', 'name_taken: { status: 400'],
  [`${wire}/problems.ts`, 'a-code-of-a-problem', 'key_state: { status', 'state_of_key: { status'],
  ['packages/sdk/src/index.ts', 'an-export-gone', '  SubjectName,\n', ''],
  [`${cli}/variables.ts`, 'a-variable-renamed', 'EAAS_DRAIN_SECONDS |', 'EAAS_DRAIN |'],
  [`${cli}/variables.ts`, 'a-default-of-a-variable', 'EAAS_PORT | \\`8080', 'EAAS_PORT | \\`8081'],
  [`${wire}/server-mode.ts`, 'a-member-of-a-response-gone', ' fingerprint, key_id: uuid', ' fingerprint'],
  [`${wire}/data-keys.ts`, 'a-member-that-calls-need', 'z.optional(integer(1))', 'integer(1)'],
  [`${wire}/openapi.ts`, 'an-endpoint-gone', '  aboutUsage(),\n', ''],
  [`${wire}/usage.ts`, 'a-permission', "permission: 'usage", "permission: 'audit"],
] as const;

/** Of the declarations in the build, and of commands on a database. */
const slow = [
  [calls, 'an-option-of-another-type', 'scope?: string', 'scope?: number'],
  [calls, 'an-option-that-a-call-needs', 'readonly fresh?', 'readonly why: string;\n  readonly fresh?'],
  ['packages/protocol/src/log/tlog.ts', 'an-error-renamed', "'LogProofError'", "'ProofError'"],
  [`${cli}/doctor/finding.ts`, 'a-member-of-json', '({ check,', '({ name: check,'],
] as const;

export const breaks = Object.entries({ 'kept.test.ts': lists, 'kept.slow.test.ts': slow }).flatMap(
  ([test, all]) =>
    all.flatMap(([file, name, ...place]) => breaksIn(file, [`test/kept/${test}`], { [name]: place })),
);
