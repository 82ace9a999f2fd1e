import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { playLog, type PlayedLog } from '@eaas/test-kit/played-log';
import { runs } from '@eaas/test-kit/cases';
import { all } from '../../test/observed-client.ts';
import type { Call } from '../http/transport.ts';
import { InputError } from '../index.ts';
import { auditOf } from './methods.ts';
import type { AuditFilter, AuditPage, AuditListOptions } from './query.ts';

async function listed(log: PlayedLog, filter?: AuditFilter, options?: AuditListOptions): Promise<number[]> {
  return (await all(auditOf(log.call).list(filter, options))).map(({ id }) => id);
}

const upTo = (last: number, first = 1): number[] =>
  Array.from({ length: last - first + 1 }, (_, nth) => first + nth);

describe.each(['newest', 'oldest'] as const)('audit.list with the %s entry first', (order) => {
  const inOrder = (ids: readonly number[]): number[] => (order === 'oldest' ? [...ids] : ids.toReversed());

  test.each([0, 1, 2, 99, 100, 101, 350])(
    'audit.list yields every entry of a log with %i entries exactly once',
    async (length) => {
      expect(await listed(playLog(length), {}, { order })).toEqual(inOrder(upTo(length)));
    },
  );

  test('audit.list yields all entries even if the service reduces the page size', async () => {
    expect(await listed(playLog(250), {}, { order, pageSize: 1_000 })).toEqual(inOrder(upTo(250)));
  });

  test.each([1, 19, 20, 21, 29, 30, 31, 80, 81, 200, 355])(
    'audit.list yields every entry of a log whose %i entries are counted only up to 20',
    async (length) => {
      const log = playLog(length);
      const uncounted = { total: null, total_at_least: 20 };
      log.pages = (page) => ({ ...page, ...((page.total ?? 0) > 20 && uncounted) });
      expect(await listed(log, {}, { order, pageSize: 10 })).toEqual(inOrder(upTo(length)));
      const key_id = '00000000-0000-4000-8000-000000000001';
      const third = upTo(length, 9).filter((id) => id % 3 === 1);
      expect(await listed(log, { key_id }, { order, pageSize: 10, from: 9 })).toEqual(inOrder(third));
    },
  );

  test('audit.list sends its filter with the request for each page', async () => {
    const log = playLog(20);
    const key_id = '00000000-0000-4000-8000-000000000001';
    const [from, to] = [log.entries[4], log.entries[15]].map((entry) => entry?.created_at ?? '');
    const ids = upTo(16, 5).filter((id) => id % 3 === 1);
    for (const filter of [
      { key_id, date_from: from, date_to: to },
      { key_id, date_from: new Date(from ?? ''), date_to: new Date(to ?? ''), action: undefined },
    ]) {
      expect(await listed(log, filter, { order, pageSize: 2 })).toEqual(inOrder(ids));
    }
    expect(await listed(log, { action: 'key.export' }, { order })).toEqual([]);
  });

  test('audit.list yields each entry once, even if entries are recorded or purged between its calls', async () => {
    const events = fc.record({
      recorded: fc.nat(30),
      milliseconds: fc.constantFrom(0, 0, 1, 50),
      purged: fc.constantFrom(0, 0, 0, 1, 7, 40),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 120 }),
        fc.integer({ min: 1, max: 20 }),
        fc.array(events, { maxLength: 25 }),
        fc.boolean(),
        async (length, pageSize, happening, isFiltered) => {
          const log = playLog(length);
          log.time--;
          const nothing = { recorded: 0, milliseconds: 0, purged: 0 };
          const queue = [nothing, ...happening];
          log.before = () => {
            const { recorded, milliseconds, purged } = queue.shift() ?? nothing;
            log.time += milliseconds;
            log.append(recorded);
            if (purged > 0) log.purge(Math.min(log.purged + purged, length));
          };
          const filter = isFiltered ? { key_id: '00000000-0000-4000-8000-000000000001' } : {};
          const ids = await listed(log, filter, { order, pageSize });
          const matches = (id: number): boolean => !isFiltered || id % 3 === 1;
          const expected = upTo(length).filter(matches);
          expect(ids).toEqual(inOrder([...ids].sort((a, b) => a - b)));
          expect(expected).toEqual(expect.arrayContaining(ids));
          expect(ids).toEqual(expect.arrayContaining(expected.filter((id) => id > log.purged)));
          expect(new Set(ids).size).toBe(ids.length);
        },
      ),
      { numRuns: runs(100) },
    );
  });

  test.each<[string, (page: AuditPage) => AuditPage]>([
    [
      'responds with the first page again',
      (page) => ({ ...page, logs: playLog(5).entries.toReversed(), count: 5, total: 50, offset: 0 }),
    ],
    ['responds with empty pages', (page) => (page.offset > 0 ? { ...page, logs: [], count: 0 } : page)],
    ['counts no entry', (page) => ({ ...page, count: 0 })],
    ['moves the offset', (page) => ({ ...page, offset: page.offset + 1 })],
  ])('audit.list throws `invalid_response` if the service %s', async (_, change) => {
    const log = playLog(50);
    log.pages = change;
    await expect(listed(log, {}, { order, pageSize: 5 })).rejects.toMatchObject({ code: 'invalid_response' });
    expect(log.calls['GET /v1/audit']).toBeLessThan(150);
  });

  test('a loop over audit.list that ends early makes no further call', async () => {
    const log = playLog(300);
    for await (const entry of auditOf(log.call).list({}, { order })) if (entry.id > 0) break;
    expect(log.calls['GET /v1/audit']).toBe(order === 'newest' ? 1 : 2);
  });
});

describe('audit.list from an entry', () => {
  test.each([1, 2, 50, 249, 250, 251, 900])(
    'yields entry %i and all after it, with few calls',
    async (from) => {
      const log = playLog(250);
      const options = { from, pageSize: 20 };
      expect(await listed(log, {}, options)).toEqual(upTo(250).slice(from - 1));
      expect(log.calls['GET /v1/audit']).toBeLessThan(4 + Math.max(0, 250 - from) / 15);
      const newest = await listed(log, {}, { ...options, order: 'newest' });
      expect(newest.toReversed()).toEqual(upTo(250).slice(from - 1));
      const key_id = '00000000-0000-4000-8000-000000000001';
      const matching = upTo(250).filter((id) => id >= from && id % 3 === 1);
      expect(await listed(log, { key_id }, options)).toEqual(matching);
    },
  );
});

test('audit.list passes the signal to every call', async () => {
  const { signal } = new AbortController();
  const seen: unknown[] = [];
  const log = playLog(150);
  const call: Call = (route, input, options) => {
    seen.push(options?.signal);
    return log.call(route, input);
  };
  expect(await listed({ ...log, call }, {}, { signal })).toHaveLength(150);
  expect(seen).toEqual([signal, signal]);
});

test('audit.list throws InputError for an invalid Date', async () => {
  await expect(listed(playLog(1), { date_from: new Date('yesterday') })).rejects.toThrow(
    new InputError('`date_from` of `audit.list` must be a string or a valid Date (got a Date)'),
  );
});
