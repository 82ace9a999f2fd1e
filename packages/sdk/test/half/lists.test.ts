// What clients open when values of several halves are mixed, in any order of the list.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { defineFields, field, unencrypted } from '../../src/fields/fields.ts';
import type { EaasClient } from '../../src/index.ts';
import { createIntake } from '../../src/intake/intake.ts';
import { decryptBlob, encryptBlob, openFile } from '../../src/stream/stream.ts';
import { bytesOf, observedClient, outcomesOf } from '../observed-client.ts';

const [next, old, foreign] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const all = [next, old, null];
const turns = [all, [old, null, next], [null, next, old]];
const orders = turns.flatMap((order) => [order, order.toReversed()]);
const { make } = await observedClient();
const fields = defineFields({ notes: { subject: 'who', ...unencrypted('id', 'who'), text: field.text() } });
const content = randomBytes(200_000);
const file = { context: { file: '1' } };
const text = { as: 'text' } as const;
const subject = 'p';

/** A value, one of a person, a file and a row under each half. */
const sealed = await Promise.all(
  all.map(async (half, id) => {
    const writer = make({ half });
    return {
      value: await writer.encrypt('x', { fresh: true }),
      ofPerson: await writer.as('7').encrypt('of p', { subject }),
      blob: new Blob([await bytesOf((await encryptBlob(writer, new Blob([content]), file)).stream)]),
      row: await fields.for(writer, {}).encryptRow('notes', id, { id, who: subject, text: `row ${id}` }),
    };
  }),
);
const values = sealed.map(({ value }) => value);
const rows = sealed.map(({ row }) => row);
const rowsBy = async (client: EaasClient) => {
  const read = await fields.for(client, {}).decryptRows('notes', rows, ({ id }) => id, { settled: true });
  return read.map((row) => (row.ok ? row.value.text : row.error.code));
};

test.each(orders)('a list opens values, rows, files and ranges of its halves: %#', async (...half) => {
  const [client, reader] = [make({ half }), make({ half }).as('8')];
  const mixture = [...values, ...values.toReversed(), ...values];
  expect(outcomesOf(await client.decryptMany(mixture, text))).toEqual(mixture.map(() => 'x'));
  expect(await rowsBy(client)).toEqual(['row 0', 'row 1', 'row 2']);
  for (const { ofPerson, blob } of sealed) {
    expect(await reader.decrypt(ofPerson, { subject, ...text })).toBe('of p');
    const whole = await bytesOf((await decryptBlob(reader, blob, file)).stream);
    const opened = await openFile(client, blob, file);
    const part = await opened.read({ start: 65_530, end: 140_000 });
    expect([content.equals(whole), content.subarray(65_530, 140_000).equals(part)]).toEqual([true, true]);
  }
  await reader.prime({ encrypt: true, ciphertexts: values });
  expect(values.map((value) => reader.decryptSync(value, text))).toEqual(['x', 'x', 'x']);
  expect(await make({ half: half[0] ?? null }).decrypt(reader.encryptSync('y'), text)).toBe('y');
});

test('without the right half, all calls fail with the one error, and without any half its text says so', async () => {
  const [{ value, ofPerson, blob }] = sealed as [(typeof sealed)[0]];
  const altered =
    'the ciphertext was altered, or encrypted with another key or context, or for another person';
  for (const [client, more] of [
    [make({ half: [foreign, old, null] }), ''],
    [make(), ', or by a client with the option `half`'],
  ] as const) {
    await client.prime({ ciphertexts: [value] });
    for (const call of [
      () => client.decrypt(value),
      () => client.decrypt(ofPerson, { subject }),
      async () => client.decryptSync(value),
      async () => bytesOf((await decryptBlob(client, blob, file)).stream),
      () => openFile(client, blob, file),
    ]) {
      await expect(call()).rejects.toMatchObject({ message: `decryption failed: ${altered}${more}` });
    }
    expect((await rowsBy(client))[0]).toBe('decryption');
  }
});

test('rotation and rewrap keep a half, and a function says that an intake key has none', async () => {
  const { make, service, keyId } = await observedClient();
  const { key_id: intakeKey } = await service.createKey('forms', { intake: true });
  const { intake_public_key } = await make().publicKey(intakeKey);
  const sent = await createIntake({ publicKey: `${intake_public_key}` }).encrypt('sent');
  const client = make({ half: (of) => (of.keyId === intakeKey ? null : next) });
  const own = await client.encrypt('own');
  await client.keys.rotate(keyId);
  const [kept, bare] = [await make().rewrap(own), await make().rewrap(sent)];
  const many = [sent, kept.ciphertext, bare.ciphertext];
  const opened = outcomesOf(await client.decryptMany(many, { anyKey: true, ...text }));
  expect([kept.keyVersion, ...opened]).toEqual([2, 'sent', 'own', 'sent']);
});
