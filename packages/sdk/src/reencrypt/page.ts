import { aborted } from '../abortable.ts';
import { type FailureCode, reason } from './reason.ts';
import type { ConvertRows, RowConversion } from './rows.ts';
import { type Clock, inParallel } from './pace.ts';
import type { Failure, RowResult } from './progress.ts';
import { type Change, idKey, type RowId, type Store, type StoredRow } from './store.ts';

/** What the pages of a run have in common. */
export interface Run<Row extends StoredRow> {
  readonly store: Store<Row>;
  readonly convert: ConvertRows<Row>;
  readonly clock: Clock;
  readonly dryRun: boolean;
  readonly pageSize: number;
  readonly concurrency: number;
  readonly signal: AbortSignal | undefined;
}

/** At a row that others write to, and at a service that is away. */
const attempts = { row: 5, service: 8 };
/** They concern the caller, not a value: no other row would fare better. */
const ofTheCaller = new Set(['unauthorized', 'permission_missing', 'origin_refused', 'aborted', 'closed']);

/**
 * Converts a page and writes it. Rows that somebody else changed in between are read again with their page and tried
 * again. Throws when the service stays unreachable or refuses the caller; rows may have been written by then.
 */
export async function movePage<Row extends StoredRow>(
  run: Run<Row>,
  after: Row['id'] | undefined,
  rows: readonly Row[],
): Promise<RowResult<Row['id']>[]> {
  const results = new Map<string, RowResult<Row['id']>>();
  let pending = rows;
  for (let attempt = 1; ; attempt++) {
    const open = await tryRows(run, pending, results);
    if (open.size === 0 || attempt === attempts.row) return Array.from(results.values());
    await run.clock.sleep(25 * 2 ** attempt, run.signal);
    const page = await run.store.read({ after, limit: run.pageSize });
    pending = page.filter(({ id }) => open.has(idKey(id)));
    const last = rows.at(-1);
    if (page.some(({ id }) => last && idKey(id) === idKey(last.id)) || (await isEnd(run, page))) {
      // The page is here in full: what it lacks was deleted.
      const present = new Set(pending.map(({ id }) => idKey(id)));
      for (const name of open) if (!present.has(name)) results.set(name, { kind: 'skipped', failures: [] });
    }
  }
}

/** Whether nothing follows the page. That it is short does not say so: a store may answer fewer rows than were asked for. */
async function isEnd<Row extends StoredRow>(
  { store, pageSize }: Run<Row>,
  page: readonly Row[],
): Promise<boolean> {
  const after = page.at(-1)?.id;
  if (after === undefined) return true;
  return page.length < pageSize && (await store.read({ after, limit: 1 })).length === 0;
}

/** Answers those rows that are worth another attempt. */
async function tryRows<Row extends StoredRow>(
  run: Run<Row>,
  rows: readonly Row[],
  results: Map<string, RowResult<Row['id']>>,
): Promise<Set<string>> {
  const conversions = await convertPatiently(run, rows);
  const unwritten = await write(run, rows, conversions);
  for (const [index, { id }] of rows.entries()) {
    const { changed, failures = [] } = conversions[index] ?? {};
    const code = unwritten.get(idKey(id));
    const all = failures.map(({ field, reason: { code, message } }) => failureOf(id, code, message, field));
    if (code) all.push({ id, ...reason(code) });
    const fine = changed ? 'rewritten' : 'skipped';
    const kind = code === 'conflict' ? 'conflicted' : all.length > 0 ? 'failed' : fine;
    results.set(idKey(id), { kind, failures: all });
  }
  return new Set(unwritten.keys());
}

function failureOf<Id extends RowId>(
  id: Id,
  code: FailureCode,
  message: string,
  field: string | undefined,
): Failure<Id> {
  return field === undefined ? { id, code, message } : { id, field, code, message };
}

/** Asks again, later, for what the service could not do now. */
async function convertPatiently<Row extends StoredRow>(
  { convert, clock, signal }: Run<Row>,
  rows: readonly Row[],
): Promise<RowConversion[]> {
  for (let attempt = 1; ; attempt++) {
    if (signal?.aborted) throw aborted();
    const conversions = await convert(rows);
    const reasons = conversions.flatMap(({ failures }) => failures.map(({ reason }) => reason));
    const hopeless = reasons.find(({ code }) => ofTheCaller.has(code));
    if (hopeless) throw hopeless;
    const transient = reasons.find(({ retryable }) => retryable);
    if (!transient) return conversions;
    if (attempt === attempts.service) throw transient;
    await clock.sleep(Math.min(30_000, 1_000 * 2 ** (attempt - 1)), signal);
  }
}

/** The rows that were not written, and why. */
async function write<Row extends StoredRow>(
  { store, dryRun, concurrency, signal }: Run<Row>,
  rows: readonly Row[],
  conversions: readonly RowConversion[],
): Promise<Map<string, 'conflict' | 'store'>> {
  const changes = rows.flatMap((row, index): Change<Row>[] => {
    const changed = conversions[index]?.changed;
    if (!changed) return [];
    return [{ id: row.id, expected: row.values, values: { ...row.values, ...changed }, row }];
  });
  if (dryRun || changes.length === 0) return new Map();
  if ('writeMany' in store) {
    if (signal?.aborted) throw aborted();
    const written = await attempt(() => store.writeMany(changes));
    const names = new Set(written?.map(idKey));
    const missing = changes.map(({ id }) => idKey(id)).filter((name) => !names.has(name));
    return new Map(missing.map((name) => [name, written ? 'conflict' : 'store']));
  }
  const outcomes = await inParallel(changes, concurrency, async (change) => {
    if (signal?.aborted) throw aborted();
    const written = await attempt(() => store.write(change));
    return { name: idKey(change.id), written };
  });
  const missing = outcomes.filter(({ written }) => written !== true);
  return new Map(missing.map(({ name, written }) => [name, written === undefined ? 'store' : 'conflict']));
}

/** What the store throws may name values: that it threw is all that is kept of it. */
async function attempt<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch {
    return undefined;
  }
}
