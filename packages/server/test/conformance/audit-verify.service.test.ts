import { describe, expect, test } from 'vitest';
import { newestEntry, newTenant, ok, wrapped } from '@eaas/test-kit/fixture';
import { aTimestamp } from './shapes.ts';

const tenant = await newTenant();
const { key_id } = await tenant.newKey();
for (let number = 0; number < 8; number++) await wrapped(tenant.api, key_id);

const verify = (query: string) => tenant.api.get(`/v1/audit/verify?${query}`);

test('verify returns valid: true, the checked range and the head', async () => {
  const newest = await newestEntry(tenant);
  const { rows_checked = true, ...verdict } = ok(await tenant.api.get('/v1/audit/verify'));
  expect(rows_checked).toBe(true);
  expect(verdict).toStrictEqual({
    valid: true,
    complete: true,
    next_id: null,
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

test.for([
  ['from_id=4', 7, 4, 10],
  ['to_id=4', 4, 1, 4],
  ['from_id=4&to_id=6', 3, 4, 6],
  ['from_id=10&to_id=10', 1, 10, 10],
] as const)('verify with the range %s checks %i entries', async ([query, checked, first_id, last_id]) => {
  const range = { checked, first_id, last_id, head: { id: 10 } };
  expect(ok(await verify(query))).toMatchObject({ valid: true, complete: true, error_count: 0, ...range });
});

describe('a checkpoint', () => {
  const checkpoint = async (of = tenant) => ok(await of.api.get('/v1/audit/checkpoint'));
  const verifyNote = (note: string) => verify(`checkpoint=${encodeURIComponent(note)}`);

  test('names the newest entry and its hash, and says which key signed it', async () => {
    const { id, hash } = await newestEntry(tenant);
    const answer = await checkpoint();
    const text = `${id}\n${Buffer.from(hash, 'hex').toString('base64')}`;
    expect(answer.checkpoint).toContain(`eaas.audit-chain.v1/${tenant.tenant_id}\n${text}\n`);
    expect(answer.verifier_key).toMatch(new RegExp(`^eaas/${tenant.tenant_id}\\+`));
  });

  test('proves to verify that the log extends it', async () => {
    const kept = await checkpoint();
    for (let round = 0; round < 2; round++) {
      const verdict = ok(await verifyNote(kept.checkpoint));
      expect(verdict).toMatchObject({ valid: true, error_count: 0, checkpoint: expect.any(Object) });
      await wrapped(tenant.api, key_id);
    }
  });

  test("that is not signed with this tenant's key is refused", async () => {
    const own = await checkpoint();
    const notes = [
      (await checkpoint(await newTenant())).checkpoint,
      own.checkpoint.replace(/\n\d+\n/, '\n1\n'),
      'x',
    ];
    for (const note of notes) expect(await verifyNote(note)).toBeProblem('bad_request', /checkpoint/);
  });
});
