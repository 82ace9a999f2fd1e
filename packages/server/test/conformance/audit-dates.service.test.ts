import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { newTenant, ok, wrapped } from '@eaas/test-kit/fixture';

const tenant = await newTenant('--envelope-only', 'true');
const key = await tenant.newKey();
for (let number = 0; number < 8; number++) {
  await sleep(5);
  await wrapped(tenant.api, key.key_id);
}
// oldest first, no two in the same millisecond
const entries = (await tenant.entries()).toReversed();

const list = async (query: string) => ok(await tenant.api.get(`/v1/audit?${query}`));
const found = async (query: string) => (await list(query)).logs.map((entry) => entry.id).toReversed();
const at = (id: number) => entries[id - 1]?.created_at ?? '';
const encoded = encodeURIComponent;
const finer = (time: string, digits: string) => time.replace('Z', `${digits}Z`);
const shifted = (time: string, milliseconds: number) =>
  new Date(Date.parse(time) + milliseconds).toISOString();

describe('date_from and date_to', () => {
  test('the audit filters date_from and date_to are inclusive, alone and together', async () => {
    expect(await found(`date_from=${at(4)}`)).toStrictEqual([4, 5, 6, 7, 8, 9, 10]);
    expect(await found(`date_to=${at(4)}`)).toStrictEqual([1, 2, 3, 4]);
    expect(await found(`date_from=${at(4)}&date_to=${at(6)}`)).toStrictEqual([4, 5, 6]);
    expect(await found(`date_from=${at(5)}&date_to=${at(5)}`)).toStrictEqual([5]);
    expect(await found(`date_from=${shifted(at(4), 1)}`)).toStrictEqual([5, 6, 7, 8, 9, 10]);
    expect(await found(`date_to=${shifted(at(4), -1)}`)).toStrictEqual([1, 2, 3]);
  });

  test('with a filter by dates, `total` counts the matching entries of all pages', async () => {
    const period = `date_from=${at(3)}&date_to=${at(8)}`;
    const page = await list(`${period}&limit=2&offset=1`);
    expect(page.logs.map((entry) => entry.id)).toStrictEqual([7, 6]);
    expect(page).toMatchObject({ count: 2, total: 6, limit: 2, offset: 1 });
    expect(await list(`${period}&action=key.create`)).toMatchObject({ count: 0, total: 0 });
    expect(await list(`${period}&action=key.wrap&key_id=${key.key_id}&offset=5`)).toMatchObject({
      count: 1,
      total: 6,
    });
  });

  test('date_from and date_to accept an offset from UTC, and `t` and `z` in lower case', async () => {
    const east = shifted(at(4), 5.5 * 3_600_000).replace('Z', '+05:30');
    const west = shifted(at(4), -8 * 3_600_000).replace('Z', '-08:00');
    expect(await found(`date_from=${encoded(east)}&date_to=${encoded(west)}`)).toStrictEqual([4]);
    expect(await found(`date_from=${at(4).toLowerCase()}&date_to=${at(4)}`)).toStrictEqual([4]);
  });

  test('fractions of a millisecond are rounded up in date_from and down in date_to', async () => {
    expect(await found(`date_from=${finer(at(4), '000000')}`)).toStrictEqual([4, 5, 6, 7, 8, 9, 10]);
    expect(await found(`date_from=${finer(at(4), '0000000000001')}`)).toStrictEqual([5, 6, 7, 8, 9, 10]);
    expect(await found(`date_to=${finer(at(4), '999999')}`)).toStrictEqual([1, 2, 3, 4]);
    expect(await found(`date_from=${finer(at(4), '5')}&date_to=${finer(at(4), '6')}`)).toStrictEqual([]);
  });

  test('a date without a fraction of a second means the start of that second', async () => {
    const second = `${at(1).slice(0, 19)}Z`;
    expect((await list(`date_from=${second}`)).total).toBe(10);
    expect((await list(`date_to=${shifted(second, -1)}`)).total).toBe(0);
  });

  test('the audit log returns an empty page if date_from is after date_to', async () => {
    expect(await list(`date_from=${at(6)}&date_to=${at(4)}`)).toStrictEqual({
      logs: [],
      count: 0,
      total: 0,
      limit: 50,
      offset: 0,
    });
  });

  test('the audit filters accept dates far before and far after every entry', async () => {
    expect((await list('date_from=1970-01-01T00:00:00Z')).total).toBe(10);
    expect((await list('date_to=9999-12-31T23:59:59Z')).total).toBe(10);
    expect((await list('date_from=9999-12-31T23:59:59Z')).total).toBe(0);
    expect((await list('date_to=0001-01-01T00:00:00Z')).total).toBe(0);
    expect((await list('date_from=0000-01-01T00:00:00Z')).total).toBe(10);
    expect((await list('date_to=2016-12-31T23:59:60Z')).total).toBe(0);
    expect((await list('date_from=2016-12-31T23:59:59-00:00')).total).toBe(10);
  });
});

describe.for(['date_from', 'date_to'] as const)('an invalid date in %s returns 400', (name) => {
  test.for([
    'yesterday',
    '2026-11-20',
    '2026-11-20T10',
    '2026-11-20T10:00',
    '2026-11-20T10:00:00',
    '2026-11-20 10:00:00Z',
    '20/11/2026',
    '11/08/2026',
    '1763632800',
    '1763632800000',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-11-31T00:00:00Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T23:59:61Z',
    '2026-11-20T10:60:00Z',
    '2026-11-20T10:00:00+24:00',
    '2026-11-20T10:00:00+0100',
    '2026-11-20T10:00:00.Z',
    '2026-11-20T10:00:00,5Z',
    '+002026-11-20T10:00:00Z',
    '2026-11-20T10:00:00ZZ',
    '2026-11-20T10:00:00Z\u0000',
    '٢٠٢٦-11-20T10:00:00Z',
    '',
  ])(`${name}=%j returns 400`, async (text) => {
    const answer = await tenant.api.get(`/v1/audit?${name}=${encoded(text)}`);
    expect(answer).toBeProblem('bad_request', new RegExp(name));
  });

  test('a date with an unencoded + returns 400 and advice', async () => {
    const answer = await tenant.api.get(`/v1/audit?${name}=2026-11-20T10:00:00+01:00`);
    expect(answer).toBeProblem('bad_request', /%2B/);
  });
});
