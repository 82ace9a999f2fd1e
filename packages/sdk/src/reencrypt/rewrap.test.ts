import { fromBase64 } from '@eaas/protocol/base64';
import { parseEnvelope } from '@eaas/protocol';
import { parseHeader } from '@eaas/protocol/internal';
import { openStream, sealStream } from '@eaas/protocol/stream';
import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { clientOf, endOf, runThrough, tableOf } from '../../test/simulated-table.ts';
import { inventory, reencrypt, storedValues } from './reencrypt.ts';

async function rotated(rows: number, cache: { maxMessages: number } = { maxMessages: 65_536 }) {
  const { client, keyId, service } = observedClient({ cache: { encrypt: cache } });
  const all = Array.from({ length: rows }, (_, index) => `${index}@example.com`);
  const bundles = await Promise.all(all.map((email) => client.encrypt(email)));
  const table = tableOf(bundles.map(({ ciphertext }) => ciphertext));
  await client.keys.rotate({ key_id: keyId });
  const before = service.requests.length;
  const requests = () => service.requests.slice(before).map(({ route }) => route);
  return { client: clientOf(service, { keyId }), keyId, table, bundles, requests };
}

test('rewrapping changes only the header of a ciphertext', async () => {
  const { client, keyId, table, bundles } = await rotated(3);
  const last = await endOf(reencrypt(client, table.store, { mode: 'rewrap' }));
  expect(last).toMatchObject({ seen: 3, rewritten: 3, skipped: 0, done: true, keyVersions: { [keyId]: 2 } });
  for (const [index, bundle] of bundles.entries()) {
    const [before, after] = [bundle.ciphertext, table.email(index + 1)].map((text) =>
      parseEnvelope(fromBase64(text)),
    );
    expect(after?.keyVersion).toBe(2);
    expect(after?.wrappedKey).not.toEqual(before?.wrappedKey);
    expect([after?.iv, after?.commitment, after?.body]).toEqual([
      before?.iv,
      before?.commitment,
      before?.body,
    ]);
    expect(await client.decrypt(table.email(index + 1), { as: 'text' })).toBe(`${index}@example.com`);
  }
});

test('values that share a wrapped key before a run share a wrapped key after the run', async () => {
  const { client, table, requests } = await rotated(20, { maxMessages: 10 });
  await endOf(reencrypt(client, table.store, { mode: 'rewrap', pageSize: 3 }));
  expect(requests().filter((route) => route?.endsWith('rewrap'))).toHaveLength(2);
  const { keys } = await inventory(storedValues(table.store));
  expect(keys[0]?.versions).toMatchObject([{ key_version: 2, values: 20, wrapped_keys: 2 }]);
});

test('a run skips values that are under the newest version', async () => {
  const { client, table, requests } = await rotated(6, { maxMessages: 1 });
  await endOf(reencrypt(client, table.store, { mode: 'rewrap' }));
  const [asked, written] = [requests().length, table.writes.length];
  const again = await endOf(reencrypt(client, table.store, { mode: 'rewrap', pageSize: 2 }));
  expect(again).toMatchObject({ rewritten: 0, skipped: 6, done: true });
  expect(requests()).toHaveLength(asked + 1);
  const known = await endOf(reencrypt(client, table.store, { mode: 'rewrap', keyVersion: 2 }));
  expect(known).toMatchObject({ skipped: 6, done: true });
  expect(requests()).toHaveLength(asked + 1);
  expect(table.writes).toHaveLength(written);
});

test('every row of a rewrap fails if the key lacks version `keyVersion`', async () => {
  const { client, table } = await rotated(1);
  const last = await endOf(reencrypt(client, table.store, { mode: 'rewrap', keyVersion: 3 }));
  expect(last).toMatchObject({ rewritten: 0, failed: 1, done: false });
  expect(table.writes).toEqual([]);
});

test('values under several keys are rewrapped under the newest version of their key', async () => {
  const { client, keyId, table } = await rotated(2);
  const other = await client.keys.create({ name: 'other' });
  table.set(2, { phone: (await client.encrypt('555', { keyId: other.key_id })).ciphertext });
  await client.keys.rotate({ key_id: keyId });
  const last = await endOf(reencrypt(client, table.store, { mode: 'rewrap' }));
  expect(last).toMatchObject({ done: true, keyVersions: { [keyId]: 3, [other.key_id]: 1 } });
});

test('a data key with a wrap context is rewrapped with the same context', async () => {
  const { client, keyId, table } = await rotated(0);
  const wrapContext = { customer: '7' };
  table.set(1, { email: (await client.encrypt('x', { wrapContext })).ciphertext });
  await client.keys.rotate({ key_id: keyId });
  const without = await endOf(reencrypt(client, table.store, { mode: 'rewrap' }));
  expect(without).toMatchObject({ failed: 1 });
  const last = await endOf(
    reencrypt(client, table.store, { mode: 'rewrap', wrapContext: () => wrapContext }),
  );
  expect(last).toMatchObject({ rewritten: 1, done: true });
  expect(await client.decrypt(table.email(1), { as: 'text', wrapContext })).toBe('x');
});

test('a run rewraps a stream that is in a column', async () => {
  const { client, keyId, table } = await rotated(0);
  const text = new TextEncoder().encode('a stream');
  const sealed = await through(
    text,
    sealStream((dek) => client.wrap(dek)),
  );
  table.set(1, { email: sealed });
  await client.keys.rotate({ key_id: keyId });
  expect(await endOf(reencrypt(client, table.store, { mode: 'rewrap' }))).toMatchObject({
    rewritten: 1,
    done: true,
  });
  const stored = table.rows.get(1)?.values.email as Uint8Array;
  expect(parseHeader(stored)).toMatchObject({ version: 2, keyVersion: 3 });
  const opened = await through(
    stored,
    openStream((wrapped) => client.unwrap(wrapped), { keyId }),
  );
  expect(new Uint8Array(opened)).toEqual(text);
});

async function through(
  bytes: Uint8Array,
  transform: TransformStream<Uint8Array, Uint8Array>,
): Promise<Uint8Array> {
  const stream = new Blob([bytes.slice()]).stream().pipeThrough(transform);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

test('with `verify`, a wrapped key with a wrong data key is not written', async () => {
  const { client, table, bundles } = await rotated(2);
  const other = await client.encrypt('another data key', { scope: 'another' });
  const lying = {
    encryptMany: client.encryptMany.bind(client),
    decryptMany: client.decryptMany.bind(client),
    unwrap: client.unwrap.bind(client),
    rewrapMany: (async (ciphertexts: readonly unknown[]) =>
      ciphertexts.map(() => ({ ok: true as const, value: { ...other, rewrapped: true } }))) as never,
  };
  const options = { mode: 'rewrap', verify: true } as const;
  const refused = await endOf(reencrypt(lying, table.store, options));
  expect(refused).toMatchObject({ failed: 2, rewritten: 0 });
  expect(table.email(1)).toBe(bundles[0]?.ciphertext);
  expect(await endOf(reencrypt(client, table.store, options))).toMatchObject({ rewritten: 2, done: true });
});

test('a run cannot resume with a newer `keyVersion`', async () => {
  const { client, keyId, table } = await rotated(4);
  const [half] = await runThrough(reencrypt(client, table.store, { mode: 'rewrap', pageSize: 2 }));
  await client.keys.rotate({ key_id: keyId });
  const resumed = (keyVersion: number) =>
    endOf(reencrypt(client, table.store, { mode: 'rewrap', keyVersion, resume: half }));
  await expect(resumed(3)).rejects.toThrow('`keyVersion` must be at most 2');
  expect(await resumed(2)).toMatchObject({ done: true, keyVersions: { [keyId]: 2 } });
});
