import { randomBytes } from 'node:crypto';
import { createTestService } from '@eaas/local';
import { parseEnvelope } from '@eaas/protocol';
import { fromBase64 } from '@eaas/protocol/internal-base64';
import { EaasClient } from '@eaas/sdk';
import { defineFields, field, plaintext, type StandardSchema, unencrypted } from '@eaas/sdk/fields';
import { createIntake } from '@eaas/sdk/intake';
import { expect, test } from 'vitest';
import { encrypting, reencrypting } from './encrypting.ts';
import { createRewraps, rewrapping } from './rewrap.ts';
import type { TableRow } from './rows.ts';
import { targetOf } from './source.ts';

const note = field.text({ previous: plaintext() });
const fields = defineFields({
  notes: { subject: 'person', ...unencrypted('person'), note, more: field.text() },
});
const target = targetOf({ query: () => [] }, 'notes', { fields: fields as never });

type Altered = (answer: { wrapped_key: string; key_version: number }) => object;

async function open() {
  const service = createTestService();
  const { key_id: keyId } = await service.createKey('notes', { intake: true });
  const { baseUrl, apiKey, fetch } = service;
  const client = new EaasClient({ baseUrl, apiKey, fetch, keyId });
  const limited = await service.createApiKey({ permissions: ['encrypt'] });
  /** A client of the same service, whose answers to `wrap` and `rewrap` are altered. */
  const faulty = (alter: Altered, key = apiKey) => {
    const altering: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init);
      const of = (name: string, value: Parameters<Altered>[0] | null) =>
        value?.wrapped_key === undefined ? value : { ...value, ...alter(value) };
      return Response.json(JSON.parse(await answer.text(), of), answer);
    };
    return new EaasClient({ baseUrl, apiKey: key, fetch: altering, keyId, retries: 0 });
  };
  const asked = (verb: string) => service.requests.filter(({ route }) => route?.endsWith(`/${verb}`));
  /** What becomes of rows, each of a person of its own. */
  const convert = async (texts: readonly (readonly [note: string, more?: string])[], by = client) => {
    const rows = texts.map(([note, more = null], at): TableRow => ({
      id: at + 1,
      values: { note, more },
      others: {},
      person: { person: `person ${at + 1}` },
      personTexts: [`person ${at + 1}`],
    }));
    const work = rewrapping(target, createRewraps(target, by, undefined));
    const outcomes = await work.convert(rows);
    const left = rows.map(({ values }, at) => work.isLeft({ ...values, ...outcomes[at]?.changed }));
    return { outcomes, texts: outcomes.map(({ changed }) => changed?.['note'] ?? ''), left };
  };
  const encrypt = async (value: string, more: object = {}): Promise<string> =>
    await client.encrypt(value, { context: { row: '1' }, ...more });
  return { client, keyId, convert, encrypt, faulty, asked, onlyEncrypts: limited.api_key };
}

const partsOf = (ciphertext = '') => parseEnvelope(fromBase64(ciphertext));

test('only the header changes, and values with one data key are one request and keep one', async () => {
  const { client, keyId, convert, encrypt, asked } = await open();
  const before = [await encrypt('a'), await encrypt('b'), await encrypt('c', { subject: 'person 3' })];
  await client.keys.rotate(keyId);
  const { texts, left } = await convert(before.map((one) => [one]));
  expect(left).toEqual([false, false, false]);
  expect(asked('rewrap').reduce((sum, { items = 1 }) => sum + items, 0)).toBe(2);
  for (const [at, text] of texts.entries()) {
    const [old, now] = [partsOf(before[at]), partsOf(text)];
    expect(now.keyVersion).toBe(2);
    expect([now.iv, now.commitment, now.body]).toEqual([old.iv, old.commitment, old.body]);
  }
  expect(partsOf(texts[0]).wrappedKey).toEqual(partsOf(texts[1]).wrappedKey);
  const options = { as: 'text', context: { row: '1' }, subject: 'person 3' } as const;
  expect(await client.decrypt(texts[2] ?? '', options)).toBe('c');
});

test('a value of a writer without credentials becomes one of the person of its row', async () => {
  const { client, keyId, convert } = await open();
  const { intake_public_key } = await client.publicKey(keyId);
  const sent = await createIntake({ publicKey: String(intake_public_key) }).encrypt('hello', { context: {} });
  const { texts, left } = await convert([[sent]]);
  expect(left).toEqual([false]);
  const read = (subject: string) => client.decrypt(texts[0] ?? '', { as: 'text', context: {}, subject });
  expect(await read('person 1')).toBe('hello');
  await expect(read('person 2')).rejects.toMatchObject({ code: 'decryption' });
});

test('a value of a writer without credentials takes no older version', async () => {
  const { client, keyId, convert, faulty } = await open();
  await client.keys.rotate(keyId);
  const { intake_public_key } = await client.publicKey(keyId);
  const sent = await createIntake({ publicKey: String(intake_public_key) }).encrypt('hello', { context: {} });
  const { outcomes } = await convert([[sent]], faulty(ofVersion(1)));
  expect(outcomes).toMatchObject([{ failures: [{ code: 'invalid_response' }] }]);
  expect((await convert([[sent]], faulty(ofVersion(2)))).left).toEqual([false]);
});

test('a value of an erased person stays, and what is none of a key fails with its place', async () => {
  const { client, keyId, convert, encrypt } = await open();
  const texts = [
    [await encrypt('a', { subject: 'person 1' }), await encrypt('b')],
    ['plain', (await encrypt('c')).slice(0, 60)],
  ] as const;
  await client.subjects.erase({ subject: 'person 1' });
  await client.keys.rotate(keyId);
  const { outcomes } = await convert(texts);
  const failing = (field: string, message: RegExp) => ({
    id: 2,
    field,
    code: 'format',
    message: expect.stringMatching(message) as string,
  });
  expect(outcomes).toMatchObject([
    { isErased: true, changed: { more: expect.stringMatching(/^eaasA/) as string }, failures: [] },
    {
      failures: [
        failing('note', /^notes\.note of row 2: .* is not encrypted: run the mode/),
        failing('more', /^notes\.more of row 2: .* too short for it/),
      ],
    },
  ]);
  expect(outcomes[0]?.changed).not.toHaveProperty('note');
});

const altered =
  (change: (bytes: Uint8Array) => unknown): Altered =>
  ({ wrapped_key }) => {
    const bytes = fromBase64(wrapped_key);
    return { wrapped_key: Buffer.from((change(bytes) ?? bytes) as Uint8Array).toString('base64') };
  };
const ofVersion =
  (version: number): Altered =>
  (answer) => ({
    ...altered((bytes) => {
      bytes[5] = version;
    })(answer),
    key_version: version,
  });
const bit = altered((bytes) => {
  bytes[70] = (bytes[70] ?? 0) ^ 1;
});

test.each<['encrypt' | 'reencrypt' | 'rewrap', string, Altered]>([
  ['encrypt', 'one bit of the wrapped key', bit],
  ['encrypt', 'the version', ({ key_version }) => ({ key_version: key_version + 1 })],
  ['reencrypt', 'one bit of the wrapped key', bit],
  ['rewrap', 'the version', () => ({ key_version: 1 })],
  ['rewrap', 'both versions to the one that was stored', ofVersion(2)],
  ['rewrap', 'both versions to a lower one', ofVersion(1)],
  [
    'rewrap',
    'the version in the wrapped key',
    altered((bytes) => {
      bytes[5] = 7;
    }),
  ],
  [
    'rewrap',
    'the kind of the wrapped key',
    altered((bytes) => {
      bytes[1] = 1;
    }),
  ],
  ['rewrap', 'the length', altered((bytes) => bytes.subarray(1))],
])('in the mode `%s`, an answer of the service that alters %s is not stored', async (mode, _, alter) => {
  const { client, keyId, encrypt, faulty } = await open();
  const subject = 'person 1';
  const context = { table: 'notes', field: 'note', row: '1' };
  await client.keys.rotate(keyId);
  const before = mode === 'encrypt' ? 'plain' : await encrypt('a', { subject, context });
  await client.keys.rotate(keyId);
  const run = async (by: EaasClient) => {
    const codec = fields.for(by) as never;
    const modes = {
      encrypt: () => encrypting(target, codec),
      reencrypt: () => reencrypting(target, codec, createRewraps(target, client, undefined), by),
      rewrap: () => rewrapping(target, createRewraps(target, by, undefined)),
    };
    const row = {
      id: 1,
      values: { note: before, more: null },
      others: {},
      person: { person: subject },
      personTexts: [subject],
    };
    return (await modes[mode]().convert([row]))[0];
  };
  expect((await run(faulty(() => ({}))))?.changed).toHaveProperty('note');
  const refused = await run(faulty(alter));
  const message = expect.stringMatching(/^notes\.note of row 1: .*the row stays as it was/) as string;
  expect(refused).toMatchObject({ failures: [{ id: 1, field: 'note', code: 'invalid_response', message }] });
  expect(refused?.changed).toBeUndefined();
});

test.each<[string, Altered | undefined]>([
  ['opens nothing', bit],
  ['has another data key', undefined],
])('nothing of a page is stored if the first new wrapped key %s', async (_, given) => {
  const { client, convert, encrypt, faulty, onlyEncrypts, keyId, asked } = await open();
  const texts = [await encrypt('a', { subject: 'person 1' }), await encrypt('b', { subject: 'person 2' })];
  await client.keys.rotate(keyId);
  const other = await client.wrap(randomBytes(32), { subject: 'person 1' });
  const alter = given ?? (() => ({ wrapped_key: Buffer.from(other.wrappedKey).toString('base64') }));
  const rows = texts.map((text) => [text] as const);
  await expect(convert(rows, faulty(alter))).rejects.toMatchObject({
    code: 'invalid_response',
    message: expect.stringMatching(/^notes\.note of row 1: .*does not open the value/) as string,
  });
  const unable = await convert(rows, faulty(alter, onlyEncrypts));
  expect(unable.left, 'without the right to decrypt').toEqual([false, false]);
  expect(asked('unwrap').at(-1)?.status).toBe(403);
});

test('of a page, one data key is unwrapped before and after', async () => {
  const { client, convert, encrypt, keyId, asked } = await open();
  const texts = [await encrypt('a', { subject: 'person 1' }), await encrypt('b', { subject: 'person 2' })];
  await client.keys.rotate(keyId);
  await convert(texts.map((text) => [text] as const));
  expect(asked('unwrap')).toMatchObject([{ status: 200, items: 2 }]);
});

test('a person who is erased meanwhile stops no page', async () => {
  const { client, convert, encrypt, keyId } = await open();
  const text = await encrypt('a', { subject: 'person 1' });
  await client.keys.rotate(keyId);
  const by = Object.assign(Object.create(client) as EaasClient, {
    async unwrap(...given: Parameters<EaasClient['unwrap']>) {
      await client.subjects.erase({ subject: 'person 1' });
      return client.unwrap(...given);
    },
  });
  expect((await convert([[text]], by)).outcomes).toMatchObject([{ isErased: false, failures: [] }]);
});

test('a value that a schema refuses or changes is encrypted again as it is stored', async () => {
  const { client, keyId, faulty } = await open();
  const schema: StandardSchema<string, number> = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) => (value === 'old' ? { issues: [] } : { value: 7 }),
    },
  };
  const [checked, plain] = [field.json(schema), field.json<string>()].map((each) =>
    defineFields({ notes: { ...unencrypted('id'), note: each }, others: { note: field.text() } }),
  );
  const keyIds = { others: keyId };
  const target = targetOf({ query: () => [] }, 'notes', { fields: checked as never, keyIds });
  const by = faulty(() => ({}));
  const codec = target.fields.for(by, { keyIds } as never) as never;
  const stored = plain?.for(client);
  const rows = await Promise.all(
    ['old', 'new'].map(async (note, at): Promise<TableRow> => {
      const values = await stored?.encryptRow('notes', at + 1, { note });
      return { id: at + 1, values: { note: String(values?.note) }, others: {}, person: {}, personTexts: [] };
    }),
  );
  await client.keys.rotate(keyId);
  const work = reencrypting(target, codec, createRewraps(target, by, undefined), by);
  const outcomes = await work.convert(rows);
  const changed = outcomes.map((outcome, at) => ({ id: at + 1, note: outcome.changed?.['note'] as never }));
  expect(changed.map(({ note }) => note)).not.toEqual(rows.map(({ values }) => values['note']));
  const opened = await stored?.decryptRows('notes', changed, ({ id }) => id);
  expect(opened?.map(({ note }) => note)).toEqual(['old', 'new']);
});

test('an option that an encrypted database knows by itself is refused, instead of ignored', () => {
  const db = { $encryptedTable: () => target };
  expect(() => targetOf(db, 'notes', { id: 'id', keyIds: undefined })).not.toThrow();
  expect(() => targetOf(db, 'notes', { keyIds: {} })).toThrow('leave out `keyIds`');
});
