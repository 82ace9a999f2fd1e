import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '@eaas/test-kit/cases';
import { playLog, type PlayedLog } from '@eaas/test-kit/played-log';
import { all } from '../../test/observed-client.ts';
import { auditOf } from './methods.ts';
import type { AuditFilter, AuditListOptions } from './query.ts';

/** A log as the service shows it to a user: entries without ids. Only this test knows which is which. */
function ownLog(entries: number, milliseconds: number): PlayedLog {
  const log = playLog();
  for (let nth = 0; nth < entries; nth++, log.time += nth % 3 === 0 ? milliseconds : 0) log.append();
  log.pages = (page) => ({
    ...page,
    logs: page.logs.map(({ action, key_id, created_at, metadata }) => {
      return { action, key_id, created_at, metadata };
    }) as never,
  });
  return log;
}

async function listed(
  log: PlayedLog,
  options?: AuditListOptions,
  dates: AuditFilter = {},
): Promise<number[]> {
  const found = await all(auditOf(log.call).list({ subject_id: 'me', ...dates }, options));
  return found.map(({ metadata }) => Number(metadata['nth']));
}

const downFrom = (last: number, first = 1): number[] =>
  Array.from({ length: last - first + 1 }, (_, nth) => last - nth);

test.each([
  [0, 1],
  [101, 0],
  [350, 0],
  [100, 1],
  [350, 1],
])('each of %i entries without ids is listed once, if the time advances by %i ms', async (length, by) => {
  expect(await listed(ownLog(length, by))).toEqual(downFrom(length));
  expect(await listed(ownLog(length, by), { order: 'oldest' })).toEqual(downFrom(length).toReversed());
});

test('each entry without an id is listed once, even if entries are recorded or purged between the calls', async () => {
  const events = fc.record({
    recorded: fc.constantFrom(0, 0, 1, 2, 5, 40),
    milliseconds: fc.constantFrom(0, 0, 0, 1),
    purged: fc.constantFrom(0, 0, 0, 1, 7),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 90 }),
      fc.constantFrom(0, 1),
      fc.integer({ min: 1, max: 20 }),
      fc.array(events, { maxLength: 25 }),
      fc.constantFrom('newest', 'oldest'),
      async (length, by, pageSize, happening, order) => {
        const log = ownLog(length, by);
        const nothing = { recorded: 0, milliseconds: 0, purged: 0 };
        const queue = [...happening];
        let newestAtStart = 0;
        log.before = () => {
          const { recorded, milliseconds, purged } = queue.shift() ?? nothing;
          if (newestAtStart === 0) newestAtStart = log.purged + log.entries.length;
          else {
            log.time += milliseconds;
            log.append(recorded);
          }
          // Entries are kept for days, so those of the newest time are never purged.
          const newest = log.entries.at(-1)?.created_at;
          const older = log.entries.filter(({ created_at }) => created_at !== newest).length;
          log.purge(log.purged + Math.min(purged, Math.max(0, older)));
        };
        const found = await listed(log, { pageSize, order });
        if (order === 'oldest') found.reverse();
        expect(found).toEqual(found.toSorted((a, b) => b - a));
        expect(new Set(found).size).toBe(found.length);
        const kept = downFrom(newestAtStart, log.purged + 1);
        expect(kept.filter((id) => !found.includes(id))).toEqual([]);
      },
    ),
    { numRuns: runs(1_000) },
  );
});

test('entries of one millisecond that are not counted are listed once', async () => {
  const log = ownLog(250, 0);
  const { pages } = log;
  log.pages = (page) => ({ ...pages(page), total: null, total_at_least: 20 });
  expect(await listed(log)).toEqual(downFrom(250));
});

test('a list of entries without ids keeps the dates of its filter', async () => {
  const log = ownLog(300, 1);
  const [from, to] = [log.entries[100], log.entries[250]].map((entry) => entry?.created_at ?? '');
  const isBetween = (id: number) =>
    [log.entries[id - 1]?.created_at ?? ''].every((time) => time >= (from ?? '') && time <= (to ?? ''));
  const found = await listed(log, { pageSize: 2 }, { date_from: from, date_to: to });
  expect(found).toEqual(downFrom(300).filter(isBetween));
});

test('a log that grows faster than it can be read is not read without end', async () => {
  const log = ownLog(120, 0);
  log.before = () => log.append(110);
  await expect(listed(log)).rejects.toMatchObject({ code: 'invalid_response' });
});
