import { expect, test } from 'vitest';
import type { Output } from '@eaas/protocol/wire';
import { verifyChain } from '../operations/verify/verify-chain.ts';
import { type Api, apiOf, dek, settle, statusOf, testWorld } from '@eaas/test-kit/world';

const world = await testWorld();
const [a, b] = [world.replica(), world.replica()];
const resident = await settle(a, 'ann');
const { tenantId } = resident;
const [onA, onB] = [apiOf(a, resident.token), apiOf(b, resident.token)];
const { key_id } = await onA('POST /v1/keys', { name: 'key' });

type Wrapped = Output<'POST /v1/batch/wrap'>['results'][number];

const wrapFor = (api: Api, subjects: readonly (string | undefined)[]) =>
  api('POST /v1/batch/wrap', {
    items: subjects.map((subject) => ({ key_id, dek, ...(subject !== undefined && { subject }) })),
  });

test('two replicas create the same 300 subjects at once, and nobody else’s item fails', async () => {
  const subjects = Array.from({ length: 300 }, (_, nth) => `same ${nth}`);
  const batches = [0, 60, 120, 180, 240].flatMap((from) => [
    subjects.slice(from, from + 60).flatMap((subject) => [subject, undefined]),
    subjects.slice(from, from + 60).toReversed(),
  ]);
  const sent = batches.flatMap((batch) => [onA, onB].map((api) => ({ api, batch })));
  const answers = await Promise.all(
    sent.map(async ({ api, batch }) => ({ batch, results: (await wrapFor(api, batch)).results })),
  );
  const items = answers.flatMap(({ batch, results }) =>
    results.map((result: Wrapped, at) => ({
      key_id,
      ...(batch[at] !== undefined && { subject: batch[at] }),
      wrapped_key: 'wrapped_key' in result ? result.wrapped_key : JSON.stringify(result),
    })),
  );
  expect(items).toHaveLength(1_800);
  for (const api of [onA, onB]) {
    for (let from = 0; from < items.length; from += 900) {
      const { results } = await api('POST /v1/batch/unwrap', { items: items.slice(from, from + 900) });
      expect(results.filter((result) => !('dek' in result))).toEqual([]);
    }
  }
  expect(await verifyChain(a, tenantId)).toMatchObject({ valid: true });
});

test('a subject that another replica has just created is found by one that had it pending', async () => {
  const before = await Promise.all([
    statusOf(onA('POST /v1/keys/:key_id/wrap', { key_id, dek, subject: 'both' })),
    statusOf(onB('POST /v1/keys/:key_id/wrap', { key_id, dek, subject: 'both' })),
  ]);
  expect(before).toEqual([200, 200]);
});
