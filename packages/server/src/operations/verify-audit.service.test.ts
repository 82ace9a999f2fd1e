import { expect, onTestFinished, test, vi } from 'vitest';
import { apiOf, dek, settle, testWorld } from '@eaas/test-kit/world';
import { heldTurns } from '../admission/testing/held-turns.ts';

const held = heldTurns();

const world = await testWorld('2026-11-20T10:00:00Z');
const service = { ...world.replica(), admission: held.admission };

/** After a second, a verification ends if others wait. */
function passTheLeastTime(): void {
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 1_100);
  onTestFinished(() => clock.mockRestore());
}

/** Returns the API of a tenant whose log is longer than the page that a verification reads at once. */
async function settleLong(name: string) {
  const api = apiOf(service, (await settle(service, name)).token);
  const { key_id } = await api('POST /v1/keys', { name: 'key' });
  const items = Array.from({ length: 1_000 }, () => ({ key_id, dek }));
  for (let nth = 0; nth < 11; nth++) await api('POST /v1/batch/wrap', { items });
  return api;
}

test('of two tenants with long logs, one stops verifying after a page if a third tenant waits', async () => {
  const long = [await settleLong('ann'), await settleLong('ben')];
  const short = apiOf(service, (await settle(service, 'cat')).token);
  const { verifications } = service.admission.shares;
  const end = held.occupy();
  held.turns.isHeld = () => true;
  const begun = long.map((api) => api('GET /v1/audit/verify', {}));
  await expect.poll(() => verifications.counts.held).toBe(2);
  const third = short('GET /v1/audit/verify', {});
  await expect.poll(() => verifications.counts.waiting).toBe(1);
  passTheLeastTime();
  held.turns.isHeld = () => false;
  await end();
  expect(await third).toMatchObject({ valid: true, complete: true });
  const answers = await Promise.all(begun);
  expect(answers.map(({ complete }) => complete)).toContain(false);
  for (const [nth, { complete, valid, next_id, next_row }] of answers.entries()) {
    expect({ valid, next_id }).toEqual(
      complete ? { valid: true, next_id: null } : { valid: null, next_id: 10_001 },
    );
    if (next_id === null) continue;
    const rest = await long[nth]?.('GET /v1/audit/verify', { from_id: next_id, row: String(next_row) });
    expect(rest).toMatchObject({ complete: true, valid: true });
  }
});

test('a verification continues to its end, if only further verifications of the same tenants wait', async () => {
  const long = [await settleLong('dan'), await settleLong('eve')];
  const { verifications } = service.admission.shares;
  const end = held.occupy();
  held.turns.isHeld = () => true;
  const all = [...long, ...long].map((api) => api('GET /v1/audit/verify', {}));
  await expect.poll(() => verifications.counts).toMatchObject({ held: 2, waiting: 2 });
  passTheLeastTime();
  held.turns.isHeld = () => false;
  await end();
  for (const answer of all) expect(await answer).toMatchObject({ complete: true, valid: true });
});
