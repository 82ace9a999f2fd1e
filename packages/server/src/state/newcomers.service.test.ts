import { expect, onTestFinished, test, vi } from 'vitest';
import { itemReader, wrapRule } from '@eaas/protocol/service';
import type { Output } from '@eaas/protocol/wire';
import { closing } from '@eaas/test-kit/closing';
import { batch } from '../operations/data-keys.ts';
import { verifyChain } from '../operations/verify/verify-chain.ts';
import { Database } from '../store/database.ts';
import { insider } from './caller.ts';
import { Newcomers } from './newcomers.ts';
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

test('the newcomers of a batch are made one a step', async () => {
  const service = world.replica();
  const { turns } = service.admission;
  const hold = vi.spyOn(Newcomers.prototype, 'hold');
  onTestFinished(() => hold.mockRestore());
  const made: number[] = [];
  const run = turns.run.bind(turns);
  vi.spyOn(turns, 'run').mockImplementation((tenant, work, options) => {
    const next: typeof work.next = () => {
      const before = hold.mock.calls.length;
      const result = work.next();
      made.push(hold.mock.calls.length - before);
      return result;
    };
    return run(tenant, { next }, options);
  });
  await wrapFor(apiOf(service, resident.token), ['one', 'two', 'three', 'four']);
  expect(hold).toHaveBeenCalledTimes(4);
  expect(made.filter((newcomers) => newcomers > 0)).toEqual([1, 1, 1, 1]);
});

test('a subject that another replica has just created is found by one that had it pending', async () => {
  const before = await Promise.all([
    statusOf(onA('POST /v1/keys/:key_id/wrap', { key_id, dek, subject: 'both' })),
    statusOf(onB('POST /v1/keys/:key_id/wrap', { key_id, dek, subject: 'both' })),
  ]);
  expect(before).toEqual([200, 200]);
});

test('a batch that changes overtake is judged again without another wrap, and sees what they erase', async () => {
  const overtaking = [
    () => onB('POST /v1/keys', { name: 'first change' }),
    () => onB('POST /v1/subjects/erase', { subject: 'overtaken 7', create: true }),
    () => onB('POST /v1/keys', { name: 'third change' }),
  ];
  let rounds = 0;
  class Overtaken extends Database {
    override async run<T>(...all: Parameters<Database['run']>): Promise<T> {
      if (wrapped.length > 0) await overtaking[rounds++]?.();
      return (await super.run(...all)) as T;
    }
  }
  const wrapped: string[] = [];
  const own = new Overtaken(world.database.connection('server'), 2);
  const replica = world.replica(await closing(Promise.resolve(own), (it) => it.close()));
  const counted = batch(itemReader('POST /v1/batch/wrap'), (key, crypto, item) =>
    wrapRule(
      key,
      { ...crypto, wrap: (...all) => (wrapped.push(item.subject ?? ''), crypto.wrap(...all)) },
      item,
    ),
  );
  const subjects = Array.from({ length: 50 }, (_, nth) => `overtaken ${nth}`);
  const items = subjects.map((subject) => ({ key_id, dek, subject }));
  const { results } = await counted(replica, insider(tenantId, 'operator'), { items });
  expect(rounds).toBeGreaterThan(overtaking.length);
  expect(wrapped).toEqual(subjects);
  const refused = results.flatMap((result, nth) => ('error' in result ? [[nth, result.error.code]] : []));
  expect(refused).toEqual([[7, 'subject_erased']]);
  const opened = results.map((result, nth) =>
    'wrapped_key' in result ? { key_id, subject: subjects[nth], wrapped_key: result.wrapped_key } : undefined,
  );
  const { results: deks } = await onB('POST /v1/batch/unwrap', {
    items: opened.filter((one) => one !== undefined),
  });
  expect(deks.filter((result) => 'dek' in result)).toHaveLength(49);
  expect(await verifyChain(a, tenantId)).toMatchObject({ valid: true });
});
