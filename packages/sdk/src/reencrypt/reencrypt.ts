import { InputError } from '@eaas/protocol';
import { aborted } from '../abortable.ts';
import { callsOf } from './calls.ts';
import { encrypting } from './encrypt.ts';
import { moving } from './move.ts';
import { restAfter, systemClock } from './pace.ts';
import { movePage, type Run } from './page.ts';
import type { Plan, ReencryptClient, ReencryptOptions } from './plan.ts';
import {
  advance,
  beginProgress,
  finish,
  type Progress,
  requireReached,
  TooManyFailures,
} from './progress.ts';
import { rewrapping } from './rewrap.ts';
import { byRow, byValue, type ConvertRows } from './rows.ts';
import { requireBeyond, type Store, type StoredRow } from './store.ts';
import { proofBy } from './verify.ts';

export {
  type Inventory,
  inventory,
  type InventoryOptions,
  type KeyUse,
  storedValues,
  type VersionUse,
} from './inventory.ts';
export type { Clock } from './pace.ts';
export { fold, type StoredParts, unfold } from './parts.ts';
export type {
  ByPlace,
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
export type { FailureCode } from './reason.ts';
export { type Failure, type Progress, TooManyFailures } from './progress.ts';
export { isEncrypted } from './stored-form.ts';
export type { Change, ReadableStore, RowId, Store, StoredRow, StoredValue } from './store.ts';

/**
 * Converts a table page by page, and yields where it stands after each: nothing happens until the next is asked for. A
 * run that ended in the middle, however it did, goes on from any progress that it yielded; what is done twice does no
 * harm. The last progress is `finished`, and `done` when nothing is left over.
 *
 * Throws InputError for options that cannot be used, EaasError when the service refuses the caller, stays unreachable or
 * the signal aborts, TooManyFailures, and whatever the store's `read` and `count` throw.
 */
export async function* reencrypt<Row extends StoredRow>(
  client: ReencryptClient,
  store: Store<Row>,
  options: ReencryptOptions<Row>,
): AsyncGenerator<Progress<Row['id']>, void, undefined> {
  refuseUnknown(options);
  const { mode, resume, dryRun = false, maxFailures = 100, signal, clock = systemClock } = options;
  const pageSize = atLeastOne('pageSize', options.pageSize ?? 500);
  const concurrency = atLeastOne('concurrency', options.concurrency ?? 8);
  const { rowsPerSecond = 1 } = options;
  if (!(rowsPerSecond > 0)) throw new InputError('`rowsPerSecond` is a number above 0');
  let progress = beginProgress(mode, dryRun, resume);
  if (mode === 'rewrap') requireReached(progress, options.keyVersion);
  const failedBefore = progress.failed;
  const keyVersions = { ...progress.keyVersions };
  const convert = conversionOf(client, options, keyVersions);
  const run: Run<Row> = { store, convert, clock, dryRun, pageSize, concurrency, signal };
  const total = progress.total ?? (await store.count?.());
  if (total !== undefined) progress = { ...progress, total };

  for (;;) {
    if (signal?.aborted) throw aborted();
    const begun = clock.now();
    const after = progress.cursor ?? undefined;
    const rows = await store.read({ after, limit: pageSize });
    const last = rows.at(-1);
    if (!last) break;
    requireBeyond(rows, after);
    const results = await movePage(run, after, rows);
    progress = advance(progress, last.id, results, keyVersions);
    yield progress;
    const failed = progress.failed - failedBefore;
    if (failed > maxFailures) throw new TooManyFailures(failed, progress.failures.at(-1)?.message);
    const rest = restAfter(rows.length, clock.now() - begun, options);
    if (rest > 0) await clock.sleep(rest, signal);
  }
  yield finish(progress);
}

function conversionOf<Row extends StoredRow>(
  client: ReencryptClient,
  options: Plan<Row> & { readonly verify?: boolean | undefined; readonly signal?: AbortSignal | undefined },
  keyVersions: Record<string, number>,
): ConvertRows<Row> {
  const calls = callsOf(client, options.signal);
  const proof = options.verify ? proofBy(calls) : undefined;
  switch (options.mode) {
    case 'rewrap':
      return byValue(rewrapping(options, { calls, proof, keyVersions }));
    case 'encrypt':
      return byValue(encrypting(options, { calls, proof }));
    case 'reencrypt':
      return byValue(moving(options, { calls, proof }));
    case 'custom':
      return byRow(options);
    default:
      throw new InputError('`mode` is `rewrap`, `encrypt`, `reencrypt` or `custom`');
  }
}

const known =
  /^(mode|keyVersion|wrapContext|to|from|convert|resume|dryRun|verify|pageSize|concurrency|rowsPerSecond|pause|maxFailures|signal|clock)$/;

/** A `dryrun` that is overlooked would write. */
function refuseUnknown(options: object): void {
  const unknown = Object.keys(options).find((option) => !known.test(option));
  if (unknown !== undefined) throw new InputError(`\`${unknown}\` is no option of reencrypt`);
}

function atLeastOne(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new InputError(`\`${name}\` is a whole number from 1 on`);
}
