import { describe, expect, test } from 'vitest';
import { newestEntry, newTenant, ok, wrapped } from '@eaas/test-kit/fixture';
import { aTimestamp } from './shapes.ts';

const tenant = await newTenant();
const { key_id } = await tenant.newKey();
for (let number = 0; number < 8; number++) await wrapped(tenant.api, key_id);

const verify = async (query: string) => ok(await tenant.api.get(`/v1/audit/verify?${query}`));

test('verify returns valid: true, the checked range and the head', async () => {
  const newest = await newestEntry(tenant);
  const answer = await tenant.api.get('/v1/audit/verify');
  expect(answer).toHaveStatus(200);
  const { rows_checked = true, ...verdict } = answer.body;
  expect(rows_checked).toBe(true);
  expect(verdict).toStrictEqual({
    valid: true,
    complete: true,
    next_id: null,
    next_row: null,
    checked: 10,
    first_id: 1,
    last_id: 10,
    purged_through: null,
    head: { id: 10, hash: newest.hash },
    errors: [],
    error_count: 0,
    checkpoint: null,
    verified_at: aTimestamp,
  });
});

describe('a range', () => {
  test.for([
    ['from_id=4', 7, 4, 10],
    ['to_id=4', 4, 1, 4],
    ['from_id=4&to_id=6', 3, 4, 6],
    ['from_id=10&to_id=10', 1, 10, 10],
    ['from_id=1&to_id=10', 10, 1, 10],
  ] as const)('verify with the range %s checks %i entries', async ([query, checked, first_id, last_id]) => {
    expect(await verify(query)).toMatchObject({
      valid: true,
      complete: true,
      checked,
      first_id,
      last_id,
      head: { id: 10 },
      error_count: 0,
    });
  });

  test.for(['row=keys', 'row=keys:', 'row=tenants:00000000-0000-0000-0000-000000000000'])(
    'verify refuses to continue at %s',
    async (query) => {
      const field = new RegExp(query.split('=')[0] ?? '');
      expect(await tenant.api.get(`/v1/audit/verify?${query}`)).toBeProblem('bad_request', field);
    },
  );
});

test('GET /v1/audit/verify succeeds while other requests append entries', async () => {
  const busy = await newTenant();
  const { key_id } = await busy.newKey();
  const writing = Array.from({ length: 200 }, () => wrapped(busy.api, key_id));
  const verdicts = [];
  for (let round = 0; round < 10; round++) {
    verdicts.push(ok(await busy.api.get('/v1/audit/verify')));
  }
  await Promise.all(writing);
  expect(verdicts.map(({ valid, error_count }) => ({ valid, error_count }))).toStrictEqual(
    Array.from({ length: 10 }, () => ({ valid: true, error_count: 0 })),
  );
  expect(ok(await busy.api.get('/v1/audit/verify'))).toMatchObject({
    valid: true,
    checked: 202,
    last_id: 202,
  });
});
