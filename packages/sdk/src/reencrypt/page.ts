import { aborted } from '../abortable.ts';
import { EaasError } from '../errors.ts';
import { reason } from './reason.ts';
import { type Conversion, type Convert, failedWith, type Value } from './convert.ts';
import { type Clock, inParallel } from './pace.ts';
import type { Failure, RowResult } from './progress.ts';
import { type Change, idKey, type Store, type StoredRow } from './store.ts';

/** What the pages of a run have in common. */
export interface Run<Row extends StoredRow> {
  readonly store: Store<Row>;
  readonly convert: Convert<Row>;
  readonly clock: Clock;
  readonly dryRun: boolean;
  readonly pageSize: number;
  readonly concurrency: number;
  readonly signal: AbortSignal | undefined;
}

const attempts = 5;
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
    if (open.size === 0 || attempt === attempts) return Array.from(results.values());
    await run.clock.sleep(25 * 2 ** attempt, run.signal);
    const page = await run.store.read({ after, limit: run.pageSize });
    pending = page.filter(({ id }) => open.has(idKey(id)));
    const last = rows.at(-1);
    if (page.length < run.pageSize || page.some(({ id }) => last && idKey(id) === idKey(last.id))) {
      // The page is here in full: what it lacks was deleted.
      const present = new Set(pending.map(({ id }) => idKey(id)));
      for (const name of open) if (!present.has(name)) results.set(name, { kind: 'skipped', failures: [] });
    }
  }
}

/** Answers those rows that are worth another attempt. */
async function tryRows<Row extends StoredRow>(
  run: Run<Row>,
  rows: readonly Row[],
  results: Map<string, RowResult<Row['id']>>,
): Promise<Set<string>> {
  const values = rows.flatMap((row) => valuesOf(row));
  const conversions = await convertPatiently(run, values);
  const failures = new Map<Row, Failure<Row['id']>[]>();
  const changed = new Map<Row, Record<string, string | Uint8Array>>();
  values.forEach(({ row, field }, index) => {
    const conversion = conversions[index] ?? failedWith('invalid_response');
    if (conversion.kind === 'converted') {
      changed.set(row, { ...changed.get(row), [field]: conversion.value });
    } else if (conversion.kind === 'failed') {
      const { code, message } = conversion.error;
      const failure: Failure<Row['id']> = { id: row.id, field, code, message };
      failures.set(row, (failures.get(row) ?? []).concat(failure));
    }
  });
  const unwritten = await write(run, changed);
  for (const row of rows) {
    const code = unwritten.get(idKey(row.id));
    const all = [...(failures.get(row) ?? []), ...(code ? [{ id: row.id, ...reason(code) }] : [])];
    const fine = changed.has(row) ? 'rewritten' : 'skipped';
    const kind = code === 'conflict' ? 'conflicted' : all.length > 0 ? 'failed' : fine;
    results.set(idKey(row.id), { kind, failures: all });
  }
  return new Set(unwritten.keys());
}

function valuesOf<Row extends StoredRow>(row: Row): Value<Row>[] {
  return Object.entries(row.values).flatMap(([field, stored]) =>
    stored === null || stored === undefined ? [] : [{ row, field, stored }],
  );
}

/** Asks again, later, for what the service could not do now. */
async function convertPatiently<Row extends StoredRow>(
  { convert, clock, signal }: Run<Row>,
  values: readonly Value<Row>[],
): Promise<Conversion[]> {
  for (let attempt = 1; ; attempt++) {
    if (signal?.aborted) throw aborted();
    const conversions = await convert(values);
    const errors = conversions.flatMap((one) =>
      one.kind === 'failed' && one.error instanceof EaasError ? [one.error] : [],
    );
    const hopeless = errors.find(({ code }) => ofTheCaller.has(code));
    if (hopeless) throw hopeless;
    const transient = errors.find(({ retryable }) => retryable);
    if (!transient) return conversions;
    if (attempt === attempts) throw transient;
    await clock.sleep(1_000 * 2 ** (attempt - 1), signal);
  }
}

/** The rows that were not written, and why. */
async function write<Row extends StoredRow>(
  { store, dryRun, concurrency, signal }: Run<Row>,
  changed: ReadonlyMap<Row, Record<string, string | Uint8Array>>,
): Promise<Map<string, 'conflict' | 'store'>> {
  if (dryRun || changed.size === 0) return new Map();
  const changes = Array.from(changed, ([row, converted]): Change<Row> => {
    return { id: row.id, expected: row.values, values: { ...row.values, ...converted }, row };
  });
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
