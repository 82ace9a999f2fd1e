import { InputError } from '@eaas/protocol';
import { anything, having, requireKind, requireOptions, type Rule } from '@eaas/protocol/internal-options';
import { aborted, sleep } from '../transport/abortable.ts';
import { byRow, byValue, callsOf, type ConvertRow } from './convert.ts';
import { encrypting, moving } from './move.ts';
import { pageMover } from './page.ts';
import {
  planOptions,
  type ReencryptClient,
  type ReencryptOptions,
  runOptions,
  type RunOptions,
} from './plan.ts';
import { advance, beginProgress, type ReencryptProgress, TooManyFailures } from './progress.ts';
import { rewrapping } from './rewrap.ts';
import { readPage, type Store, type StoredRow } from './store.ts';
import { proofBy } from './verify.ts';

export type { FailureCode } from './convert.ts';
export {
  type Inventory,
  inventory,
  type InventoryOptions,
  type KeyUse,
  type VersionUse,
} from './inventory.ts';
export type {
  ByPlace,
  Clock,
  CustomPlan,
  EncryptPlan,
  Opening,
  Place,
  Plan,
  ReencryptClient,
  ReencryptOptions,
  ReencryptPlan,
  RewrapPlan,
  RunOptions,
  Sealing,
} from './plan.ts';
export { type ReencryptProgress, type RowFailure, TooManyFailures } from './progress.ts';
export {
  type Change,
  type ReadableStore,
  type RowId,
  type Store,
  type StoredRow,
  type StoredValue,
  storedValues,
  type StoredValuesOptions,
  type WriteManyResult,
} from './store.ts';
export { isEncrypted } from './store.ts';

/**
 * Converts a table page by page. Yields the progress after each page, and waits until the caller requests the next
 * page. To continue an interrupted run, pass the progress of any page as `resume`. In the last progress, `finished` is
 * true. `done` is also true if no row failed or conflicted, and the run was not a dry run. The values of erased people
 * stay as they are, and count apart.
 *
 * A repeated run does not change converted values. Only the mode `reencrypt` encrypts a converted value again if the
 * option `from` can decrypt the value. The option `keyVersion` prevents this for values under this key version or a
 * newer one.
 *
 * Throws InputError for invalid options. Throws EaasError if the service refuses the caller or stays unavailable, or if
 * the signal aborts. Also throws TooManyFailures and the errors of the store's `read` and `count`.
 */
export async function* reencrypt<Row extends StoredRow>(
  client: ReencryptClient,
  store: Store<Row>,
  options: ReencryptOptions<Row>,
): AsyncGenerator<ReencryptProgress<Row['id']>, void, undefined> {
  requireMode(options);
  requireKind(clientRule, client, 'the first argument of `reencrypt`');
  requireKind(storeRule, store, 'the second argument of `reencrypt`');
  const {
    dryRun = false,
    maxFailures = 100,
    signal,
    clock = { now: () => performance.now(), sleep },
  } = options;
  const { rowsPerSecond = Infinity, pause = 0, pageSize = 500, concurrency = 8 } = options;
  const wanted = 'keyVersion' in options ? options.keyVersion : undefined;
  let progress = beginProgress(options.mode, dryRun, options.resume, wanted);
  const failedBefore = progress.failed;
  const failures: ReencryptProgress<Row['id']>['failures'][number][] = [];
  const keyVersions = { ...progress.keyVersions };
  const convert = conversionOf(client, options, keyVersions);
  const movePage = pageMover({ store, convert, clock, dryRun, pageSize, concurrency, signal });
  const total = progress.total ?? (await store.count?.());
  if (total !== undefined) progress = { ...progress, total };

  for (;;) {
    if (signal?.aborted) throw aborted();
    const begun = clock.now();
    const after = progress.cursor ?? undefined;
    const rows = await readPage(store, after, pageSize);
    const last = rows.at(-1);
    if (!last) break;
    const results = await movePage(after, rows);
    progress = advance(progress, last.id, results, keyVersions);
    failures.push(...progress.failures);
    yield progress;
    const failed = progress.failed - failedBefore;
    if (failed > maxFailures) throw new TooManyFailures(failed, progress.failures.at(-1)?.message);
    const rest = Math.max(pause, (rows.length / rowsPerSecond) * 1_000 - (clock.now() - begun));
    if (rest > 0) await clock.sleep(rest, signal);
  }
  const done = progress.conflicted === 0 && progress.failed === 0 && !dryRun;
  yield { ...progress, failures, finished: true, done };
}

const clientRule = having('a client', 'encryptMany', 'decryptMany', 'rewrapMany', 'unwrap');
const canRead = having('', 'read');
const storeRule: Rule = (value, name) =>
  (canRead(value, name) === true &&
    ['write', 'writeMany'].some((method) => having('', method)(value, name) === true)) ||
  'an object with `read`, and with `write` or `writeMany`';

function conversionOf<Row extends StoredRow>(
  client: ReencryptClient,
  options: ReencryptOptions<Row>,
  keyVersions: Record<string, number>,
): ConvertRow<Row> {
  const calls = callsOf(client, options.signal);
  const proof = options.verify ? proofBy(calls) : undefined;
  if (options.mode === 'custom') return byRow(options);
  if (options.mode === 'rewrap') return byValue(rewrapping(options, calls, proof, keyVersions));
  if (options.mode === 'encrypt') return byValue(encrypting(options, calls, proof));
  return byValue(moving(options, calls, proof, keyVersions));
}

function requireMode(options: { readonly mode: keyof typeof planOptions }): void {
  const { mode } = Object(options) as Partial<typeof options>;
  if (mode === undefined || !Object.hasOwn(planOptions, mode)) {
    throw new InputError("`mode` must be 'rewrap', 'encrypt', 'reencrypt' or 'custom'");
  }
  requireOptions<object>({ mode: anything, ...runOptions, ...planOptions[mode] }, options, 'reencrypt');
  if (mode === 'custom' && (options as RunOptions<StoredRow>).verify)
    throw new InputError('`verify` is not available in the mode `custom`: check the values in `convert`');
}
