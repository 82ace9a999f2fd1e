// Converts a table: once page by page, and then what is still left, which is the proof that nothing is. A row that the app
// changes meanwhile is read and converted again. A run that was killed loses nothing, because all that it knows is in the table.
import { setTimeout } from 'node:timers/promises';
import { EaasError } from '@eaas/protocol';
import { ClientError } from '@eaas/sdk';
import { advance, type MigrateProgress, resultOf, type RowResult, TooManyFailuresError } from './progress.ts';
import type { Outcome, RowFailure, RowId, RowTexts, TableRow, Work } from './rows.ts';
import type { Store } from './table.ts';

/** Waits, and throws ClientError `aborted` as soon as the signal aborts. */
export const sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  setTimeout(milliseconds, undefined, { signal }).catch(() => requireGoing(signal));

interface Run {
  readonly store: Pick<Store, 'page' | 'rows' | 'heads' | 'write' | 'faultOfRoom'>;
  readonly work: Work;
  /** `now` returns the milliseconds since a fixed time. */
  readonly clock: { readonly now: () => number; readonly sleep: typeof sleep };
  readonly pageSize: number;
  readonly rowsPerSecond: number;
  readonly maxFailures: number;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: MigrateProgress) => unknown) | undefined;
  /** The ids of rows that are passed over. */
  readonly leave?: Set<string> | undefined;
  /** Whether a dry run adds the rows that it cannot convert to `leave`. */
  readonly leavesFailing?: boolean | undefined;
}

const attempts = { row: 5, page: 8 };
const mostListed = 100;

export async function convertTable(run: Run, begin: MigrateProgress) {
  const { store, work, clock, pageSize, signal } = run;
  const failures = new Map<RowId, readonly RowFailure[]>();
  let progress = begin;

  async function tell(next: MigrateProgress): Promise<void> {
    progress = next;
    await run.onProgress?.(progress);
  }

  async function convert(rows: readonly TableRow[]): Promise<RowResult[]> {
    const results = await settle(run, rows, progress.dryRun);
    for (const { id, failures: found } of results) {
      if (found.length === 0) failures.delete(id);
      else if (failures.size < mostListed) failures.set(id, found);
      if (found.length > 0 && progress.dryRun && run.leavesFailing) run.leave?.add(String(id));
    }
    return results;
  }

  const toConvert = <R extends RowTexts>(rows: readonly R[]): readonly R[] =>
    rows.filter(({ id }) => !run.leave?.has(String(id)));

  async function passAll(): Promise<void> {
    let begun = clock.now();
    for await (const rows of pagesOf((last) => store.page(last, pageSize), signal)) {
      await tell(advance(progress, await convert(toConvert(rows))));
      const { failed } = progress;
      if (failed > run.maxFailures) throw new TooManyFailuresError(failed, progress.failures.at(-1)?.message);
      const rest = (rows.length / run.rowsPerSecond) * 1_000 - (clock.now() - begun);
      if (rest > 0) await clock.sleep(rest, signal);
      begun = clock.now();
    }
  }

  /** Looks at all rows again, and converts those that are left, such as what the app wrote with an older data key. */
  async function passLeft() {
    const left = { count: 0, ids: [] as RowId[] };
    const read = work.leftIn ? store.page : store.heads;
    for await (const page of pagesOf<RowTexts>((last) => read(last, pageSize), signal)) {
      const rows = toConvert(page);
      const whole = await work.leftIn?.(rows as readonly TableRow[]);
      const found = rows.filter(({ values }, at) => whole?.[at] || work.isLeft(values)).map(({ id }) => id);
      const results = progress.dryRun || found.length === 0 ? [] : await convert(await store.rows(found));
      const ids = progress.dryRun ? found : results.filter(isUnconverted).map(({ id }) => id);
      left.count += ids.length;
      left.ids.push(...ids.slice(0, mostListed - left.ids.length));
      await tell({ ...progress, checked: progress.checked + page.length, failures: [] });
    }
    return left;
  }

  await passAll();
  await tell({ ...progress, finished: true, failures: [] });
  const left = await passLeft();
  const done = progress.failed === 0 && left.count === 0 && !progress.dryRun;
  return { done, progress, failures: [...failures.values()].flat().slice(0, mostListed), left };
}

/** Reads a table page by page in the order of the ids. */
export async function* pagesOf<R extends RowTexts>(
  read: (last: RowId | undefined) => Promise<readonly R[]>,
  signal: AbortSignal | undefined,
) {
  for (let last: RowId | undefined; ;) {
    requireGoing(signal);
    const rows = await read(last);
    last = rows.at(-1)?.id;
    if (last === undefined) return;
    yield rows;
  }
}

const isUnconverted = ({ kind }: RowResult): boolean => kind === 'conflicted' || kind === 'failed';

function requireGoing(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new ClientError('aborted', 'the run was aborted by its signal');
}

/** Converts rows and writes them. Those that have changed meanwhile are read and converted again. */
async function settle(run: Run, rows: readonly TableRow[], dryRun: boolean): Promise<RowResult[]> {
  const results = new Map<RowId, RowResult>();
  let pending = rows;
  for (let attempt = 1; pending.length > 0; attempt++) {
    const { outcomes, unwritten } = await patiently(run, () => convertOnce(run, pending, dryRun));
    for (const [at, { id }] of pending.entries()) {
      results.set(id, resultOf(id, outcomes[at] as Outcome, unwritten.get(id)));
    }
    const again = [...unwritten.values()].filter(({ code }) => code === 'conflict').map(({ id }) => id);
    if (again.length === 0 || attempt === attempts.row) break;
    await run.clock.sleep(25 * 2 ** attempt, run.signal);
    // A row that is gone needs nothing.
    for (const id of again) results.set(id, { id, kind: 'skipped', failures: [] });
    pending = await run.store.rows(again);
  }
  return [...results.values()];
}

async function convertOnce({ store, work }: Run, rows: readonly TableRow[], dryRun: boolean) {
  const outcomes = await work.convert(rows);
  const changes = rows.flatMap((row, at) => {
    const changed = outcomes[at]?.changed;
    return changed ? [{ row, values: changed }] : [];
  });
  const failures = changes.flatMap((change) => store.faultOfRoom(change) ?? []);
  const tooLong = new Set(failures.map(({ id }) => id));
  const fitting = changes.filter(({ row }) => !tooLong.has(row.id));
  if (!dryRun && fitting.length > 0) failures.push(...(await store.write(fitting)));
  return { outcomes, unwritten: new Map(failures.map((failure) => [failure.id, failure])) };
}

/** Waits out what passes, such as an outage of the service or a deadlock of the database. */
async function patiently<T>({ clock, signal }: Run, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    requireGoing(signal);
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof EaasError) || !error.retryable || attempt === attempts.page) throw error;
      await clock.sleep(Math.min(30_000, 1_000 * 2 ** (attempt - 1)), signal);
    }
  }
}
