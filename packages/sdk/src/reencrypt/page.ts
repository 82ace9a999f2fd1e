import { EaasError } from '@eaas/protocol';
import { flag, list, requireKind, type Rule } from '@eaas/protocol/internal-options';
import { aborted } from '../transport/abortable.ts';
import { ConversionError, type ConvertRow, type FailureCode, type RowOutcome } from './convert.ts';
import type { Clock } from './plan.ts';
import type { RowFailure, RowResult } from './progress.ts';
import { type Change, idKey, readPage, type Store, type StoredRow } from './store.ts';

interface Run<Row extends StoredRow> {
  readonly store: Store<Row>;
  readonly convert: ConvertRow<Row>;
  readonly clock: Clock;
  readonly dryRun: boolean;
  readonly pageSize: number;
  readonly concurrency: number;
  readonly signal: AbortSignal | undefined;
}

const attempts = { row: 5, service: 8 };
/** The codes of errors that end the run, because every other row would fail with the same error. */
const fatal = new Set(['unauthorized', 'permission_missing', 'origin_refused', 'aborted', 'closed']);

export function pageMover<Row extends StoredRow>({ store, convert, clock, ...run }: Run<Row>) {
  const { dryRun, pageSize, concurrency, signal } = run;

  async function movePage(
    after: Row['id'] | undefined,
    rows: readonly Row[],
  ): Promise<RowResult<Row['id']>[]> {
    const results = new Map<string, RowResult<Row['id']>>();
    const last = rows.at(-1);
    let pending = rows;
    for (let attempt = 1; ; attempt++) {
      const outcomes = await convertPatiently(pending);
      const { unwritten, refused } = await write(pending, outcomes);
      for (const [index, { id }] of pending.entries()) {
        results.set(
          idKey(id),
          resultOf(id, outcomes[index], unwritten.get(idKey(id)) ?? refused.get(idKey(id))),
        );
      }
      if (unwritten.size === 0 || attempt === attempts.row) return Array.from(results.values());
      await clock.sleep(25 * 2 ** attempt, signal);
      const page = await readPage(store, after, pageSize);
      pending = page.filter(({ id }) => unwritten.has(idKey(id)));
      if (page.some(({ id }) => last && idKey(id) === idKey(last.id)) || (await isEnd(page))) {
        for (const { id } of pending) unwritten.delete(idKey(id));
        for (const name of unwritten.keys()) results.set(name, { kind: 'skipped', failures: [] });
      }
    }
  }

  /**
   * Returns whether the table ends after the page. A store can return fewer rows than requested before the end of the
   * table. After a short page, `isEnd` therefore checks that no further row exists.
   */
  async function isEnd(page: readonly Row[]): Promise<boolean> {
    const after = page.at(-1)?.id;
    if (after === undefined) return true;
    return page.length < pageSize && (await readPage(store, after, 1)).length === 0;
  }

  async function convertPatiently(rows: readonly Row[]): Promise<RowOutcome[]> {
    for (let attempt = 1; ; attempt++) {
      if (signal?.aborted) throw aborted();
      const outcomes = await Promise.all(rows.map(convert));
      const errors = outcomes.flatMap(({ failures }) => failures.map(({ error }) => error));
      const refused = errors.find(({ code }) => fatal.has(code));
      if (refused) throw refused;
      const transient = errors.find(({ retryable }) => retryable);
      if (!transient) return outcomes;
      if (attempt === attempts.service) throw transient;
      await clock.sleep(Math.min(30_000, 1_000 * 2 ** (attempt - 1)), signal);
    }
  }

  async function write(rows: readonly Row[], outcomes: readonly RowOutcome[]) {
    const unwritten = new Map<string, ConversionError>();
    const refused = new Map<string, ConversionError>();
    const outcome = { unwritten, refused };
    const changes = rows.flatMap((row, index): Change<Row>[] => {
      const changed = outcomes[index]?.changed;
      if (!changed) return [];
      return [{ id: row.id, expected: row.values, values: { ...row.values, ...changed }, row }];
    });
    if (dryRun || changes.length === 0) return outcome;
    const note = (name: string, written: boolean | undefined): void => {
      if (!written) unwritten.set(name, new ConversionError(written === undefined ? 'store' : 'conflict'));
    };
    if ('writeMany' in store) {
      if (signal?.aborted) throw aborted();
      const result = await attempt(() => store.writeMany(changes), idsRule, 'writeMany');
      const all = result && 'written' in result ? result : { written: result, refused: [] };
      for (const { id, message } of all.refused)
        refused.set(idKey(id), new ConversionError('store', message));
      const names = all.written && new Set(all.written.map(idKey));
      for (const { id } of changes) if (!refused.has(idKey(id))) note(idKey(id), names?.has(idKey(id)));
      return outcome;
    }
    const queue = changes.values();
    const writer = async (): Promise<void> => {
      for (const change of queue) {
        if (signal?.aborted) throw aborted();
        note(idKey(change.id), await attempt(() => store.write(change), flag, 'write'));
      }
    };
    // If one writer throws, waits for the other writers before the run ends. A writer throws if the signal aborts.
    const count = Math.min(concurrency, changes.length);
    const writers = await Promise.allSettled(Array.from({ length: count }, writer));
    for (const one of writers) if (one.status === 'rejected') throw one.reason;
    return outcome;
  }

  return movePage;
}

function resultOf<Id extends StoredRow['id']>(
  id: Id,
  { changed, isErased, failures }: RowOutcome = { failures: [] },
  refused: ConversionError | undefined,
): RowResult<Id> {
  const all: RowFailure<Id>[] = [];
  for (const { field, error } of failures) {
    const { code, message } = error as EaasError & { code: FailureCode };
    all.push({ id, ...(field !== undefined && { field }), code, message });
  }
  if (refused) all.push({ id, code: refused.code, message: refused.message });
  const unfailed = isErased ? 'erased' : changed ? 'rewritten' : 'skipped';
  const kind = refused?.code === 'conflict' ? 'conflicted' : all.length > 0 ? 'failed' : unfailed;
  return { kind, failures: all };
}

const idsRule: Rule = (value, name) =>
  [value, Object(value).written].some((ids) => list(ids, name) === true) ||
  'an array of ids, or `{ written, refused }`';

/** The error of the store is not kept, because it might contain values of the row. */
async function attempt<T>(write: () => Promise<T>, rule: Rule, method: string): Promise<T | undefined> {
  let result: T;
  try {
    result = await write();
  } catch (error) {
    if (error instanceof EaasError && error.code === 'database' && !error.retryable) throw error;
    return undefined;
  }
  requireKind(rule, result, `the return value of \`${method}\``);
  return result;
}
