// The passes over a table in memory, whose values are done when they end in an exclamation mark.
import { EaasError } from '@eaas/protocol';
import { expect, test } from 'vitest';
import { convertTable } from './passes.ts';
import { beginProgress, type MigrateProgress } from './progress.ts';
import type { RowId, RowTexts, TableRow, Work } from './rows.ts';

class Outage extends EaasError {
  readonly code = 'unavailable';
  override readonly retryable = true;
}

function tableOf(count: number) {
  const values = new Map(Array.from({ length: count }, (_, at) => [at + 1, `value ${at + 1}`]));
  const rowsAfter = (last: RowId | undefined, limit: number): RowTexts[] =>
    [...values]
      .filter(([id]) => id > Number(last ?? 0))
      .sort(([one], [other]) => one - other)
      .slice(0, limit)
      .map(([id, value]) => ({ id, values: { value } }));
  const whole = (row: RowTexts): TableRow => ({ ...row, others: {}, person: {}, personTexts: [] });
  const table = {
    values,
    meanwhile: (): void => undefined,
    faultOfRoom: () => undefined,
    page: async (last: RowId | undefined, limit: number) => rowsAfter(last, limit).map(whole),
    rows: async (ids: readonly RowId[]) =>
      rowsAfter(undefined, Infinity)
        .filter(({ id }) => ids.includes(id))
        .map(whole),
    heads: async (last: RowId | undefined, limit: number) => rowsAfter(last, limit),
    async write(changes: readonly { readonly row: TableRow; readonly values: RowTexts['values'] }[]) {
      table.meanwhile();
      return changes.flatMap(({ row: { id, values: expected }, values: next }) => {
        const isUnchanged = values.get(Number(id)) === expected['value'];
        if (isUnchanged) values.set(Number(id), String(next['value']));
        return isUnchanged ? [] : [{ id, code: 'conflict' as const, message: 'changed' }];
      });
    },
  };
  return table;
}

const isDone = (value: string | null | undefined): boolean => value?.endsWith('!') === true;
const exclaiming: Work = {
  isLeft: ({ value }) => !isDone(value),
  convert: async (rows) =>
    rows.map(({ id, values: { value } }) => {
      if (value?.includes('bad')) {
        return { failures: [{ id, field: 'value', code: 'format', message: `value of row ${id}` }] };
      }
      return { changed: isDone(value) ? undefined : { value: `${value}!` }, failures: [] };
    }),
};

const subject = { mode: 'encrypt', dryRun: false, table: 'all', fields: ['value'] } as const;

function passing(table: ReturnType<typeof tableOf>, more: object = {}, dryRun = false) {
  const told: MigrateProgress[] = [];
  const slept: number[] = [];
  const sleep = async (milliseconds: number): Promise<void> => void slept.push(milliseconds);
  const clock = { now: () => slept.reduce((sum, each) => sum + each, 0), sleep };
  const onProgress = (progress: MigrateProgress): void => void told.push(progress);
  const limits = { pageSize: 2, rowsPerSecond: Infinity, maxFailures: 1, signal: undefined };
  const all = { store: table, work: exclaiming, clock, onProgress, ...limits, ...more };
  const begin = beginProgress({ ...subject, dryRun }, table.values.size);
  return { told, slept, result: convertTable(all, begin) };
}

test('every page is told, and then how many rows were looked at again', async () => {
  const table = tableOf(5);
  const { told, result } = passing(table);
  expect(await result).toMatchObject({ done: true, left: { count: 0 }, failures: [] });
  expect(told.map(({ seen, checked, finished }) => [seen, checked, finished])).toEqual([
    [2, 0, false],
    [4, 0, false],
    [5, 0, false],
    [5, 0, true],
    [5, 2, true],
    [5, 4, true],
    [5, 5, true],
  ]);
  expect([...table.values.values()].every(isDone)).toBe(true);
});

test('what another program changes, removes and inserts meanwhile is converted', async () => {
  const table = tableOf(4);
  let writes = 0;
  table.meanwhile = () => {
    if (++writes === 1) table.values.set(2, 'newer').set(9, 'inserted').delete(1);
    // Behind the pages.
    if (writes === 4) table.values.set(1, 'inserted again');
  };
  const { result, slept } = passing(table);
  expect(await result).toMatchObject({ done: true, progress: { conflicted: 0, skipped: 1 } });
  expect(Object.fromEntries(table.values)).toMatchObject({
    1: 'inserted again!',
    2: 'newer!',
    9: 'inserted!',
  });
  expect(slept).toEqual([50]);
});

test('a row that changes at every attempt counts as a conflict, and is left', async () => {
  const table = tableOf(2);
  let writes = 0;
  table.meanwhile = () => table.values.set(2, `newer ${writes++}`);
  const { result } = passing(table);
  expect(await result).toMatchObject({
    done: false,
    progress: { rewritten: 1, conflicted: 1 },
    failures: [{ id: 2, code: 'conflict' }],
    left: { count: 1, ids: [2] },
  });
  // At rest after the five attempts of the first pass: the second look converts it, and it is no failure any more.
  writes = 0;
  table.meanwhile = () => (writes < 5 ? table.values.set(2, `newer ${writes++}`) : undefined);
  expect(await passing(table).result).toMatchObject({
    progress: { conflicted: 1 },
    failures: [],
    left: { count: 0 },
  });
  expect(await passing(table).result).toMatchObject({ done: true });
});

test('a row that fails does not stop the others, until there are too many', async () => {
  const table = tableOf(6);
  table.values.set(1, 'bad');
  const failure = { id: 1, field: 'value', code: 'format', message: 'value of row 1' };
  expect(await passing(table).result).toMatchObject({
    done: false,
    progress: { seen: 6, rewritten: 5, failed: 1 },
    failures: [failure],
    left: { count: 1, ids: [1] },
  });
  table.values.set(2, 'bad');
  const { told, result } = passing(table);
  await expect(result).rejects.toMatchObject({
    name: 'TooManyFailuresError',
    code: 'too_many_failures',
    failed: 2,
  });
  expect(told).toMatchObject([{ seen: 2, failed: 2, failures: [failure, { id: 2 }] }]);
});

test('a dry run leaves all rows that it cannot convert, if it may, and counts what is left without them', async () => {
  const table = tableOf(250);
  for (let id = 1; id <= 240; id++) table.values.set(id, 'bad');
  const failing = Array.from({ length: 240 }, (_, at) => String(at + 1));
  const maxFailures = 1_000;

  const leave = new Set(['250']);
  const counted = { done: false, left: { count: 9 } };
  expect(await passing(table, { maxFailures, leave, leavesFailing: true }, true).result).toMatchObject(
    counted,
  );
  expect([...leave].toSorted()).toEqual([...failing, '250'].toSorted());

  const kept = new Set<string>();
  await passing(table, { maxFailures, leave: kept }, true).result;
  expect(kept.size).toBe(0);
  await passing(table, { maxFailures, leave: kept, leavesFailing: true }).result;
  expect(kept.size).toBe(0);
});

test('a run waits while the service or the database is unavailable, and at last throws', async () => {
  const table = tableOf(2);
  let outages = 3;
  const convert: Work['convert'] = async (rows) => {
    if (outages-- > 0) throw new Outage('away');
    return exclaiming.convert(rows);
  };
  const { result, slept } = passing(table, { work: { ...exclaiming, convert } });
  expect(await result).toMatchObject({ done: true });
  expect(slept).toEqual([1_000, 2_000, 4_000]);
  outages = Infinity;
  const away = passing(tableOf(2), { work: { ...exclaiming, convert } });
  await expect(away.result).rejects.toThrow('away');
  expect(away.slept).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

test('a run follows the limit `rowsPerSecond`', async () => {
  const { result, slept } = passing(tableOf(5), { rowsPerSecond: 10 });
  await result;
  expect(slept).toEqual([200, 200, 100]);
});
