// Which data keys the modes have opened, and that none of them stays in memory.
import { createTestService } from '@eaas/local';
import { EaasClient } from '@eaas/sdk';
import { defineFields, field, unencrypted } from '@eaas/sdk/fields';
import { inside } from '@eaas/sdk/internal';
import { expect, test } from 'vitest';
import { wipedBy } from '@eaas/test-kit/wiped-by';
import { createHalfFinder } from './halves.ts';
import { createRewraps, rewrapping } from './rewrap.ts';
import type { TableRow } from './rows.ts';
import { targetOf } from './source.ts';

const fields = defineFields({ notes: { ...unencrypted('id'), note: field.text() } });
const target = targetOf({ query: () => [] }, 'notes', { fields: fields as never });

/** A client that keeps each data key as it was given, and a copy of it. */
async function open(more: { readonly half?: Uint8Array } = {}) {
  const service = createTestService();
  const { key_id: keyId } = await service.createKey('notes');
  const { baseUrl, apiKey, fetch } = service;
  const client = new EaasClient({ baseUrl, apiKey, fetch, keyId, ...more });
  const { note } = await fields.for(client).encryptRow('notes', '1', { note: 'x' });
  const given: Uint8Array[] = [];
  const copies: string[] = [];
  const keeping = Object.assign(Object.create(client) as EaasClient, {
    async unwrap(...asked: Parameters<EaasClient['unwrap']>) {
      const dek = await client.unwrap(...asked);
      given.push(dek);
      copies.push(Buffer.from(dek).toString('hex'));
      return dek;
    },
  });
  const row: TableRow = { id: '1', values: { note }, others: {}, person: {}, personTexts: [] };
  return { client, keyId, keeping, given, copies, row, note };
}

test('`rewrap` wipes the data keys that it compares', async () => {
  const { client, keyId, keeping, given, copies, row } = await open();
  await client.keys.rotate(keyId);
  const [outcome] = await rewrapping(target, createRewraps(target, keeping, undefined)).convert([row]);

  expect(outcome?.changed).toHaveProperty('note');
  expect(copies).toHaveLength(2);
  expect(given.filter((dek) => dek.some(Boolean))).toEqual([]);
});

test('the search for the half of a value wipes its data key, and what it becomes with the half', async () => {
  const { client, keeping, given, copies, row, note } = await open({ half: new Uint8Array(32).fill(7) });
  const mixed: Uint8Array[] = [];
  const { halves } = client[inside] ?? {};
  const load: NonNullable<typeof halves>['load'] = async () => {
    const loaded = await halves?.load();
    const unwrap: NonNullable<typeof loaded>['unwrap'] = async (...asked) => {
      const opened = (await loaded?.unwrap(...asked)) ?? [];
      mixed.push(...opened.map(({ dek }) => dek));
      return opened;
    };
    return { ...loaded, unwrap } as NonNullable<typeof loaded>;
  };
  Object.defineProperty(keeping, inside, { value: { ...client[inside], halves: { ...halves, load } } });
  const find = createHalfFinder(target, keeping);
  const wiped = await wipedBy(async () => expect(await find?.(row, note)).toMatchObject({ isFirst: true }));

  expect([copies.length, mixed.length]).toEqual([1, 1]);
  expect([...given, ...mixed].filter((dek) => dek.some(Boolean))).toEqual([]);
  expect(wiped.map((bytes) => bytes.toString('hex'))).toContain(copies[0]);
});
