import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ok } from '@eaas/test-kit/fixture';
import { done, newAccount, newPlace, type Place } from './command-line.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 3_072 });
const stranger = generateKeyPairSync('rsa', { modulusLength: 3_072 }).privateKey;
const pemOf = (key: typeof privateKey) => key.export({ type: 'pkcs8', format: 'pem' });
const plaintext = randomBytes(150_000);
const noService = { EAAS_BASE_URL: 'http://127.0.0.1:1' };
const offline = 'eaas-files decrypt --exported-key key.json --private-key private.pem';

const account = await newAccount();
const { client } = account;

async function placeWithExport(): Promise<Place> {
  const place = await newPlace();
  await writeFile(place.at('a'), plaintext);
  await writeFile(place.at('public.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
  await writeFile(place.at('private.pem'), pemOf(privateKey));
  const lines = `eaas-files encrypt a --out v1.eaas
eaas-files encrypt a --out bound.eaas --context document=17`;
  expect(await place.type(lines, account.env)).toEqual(done);
  ok(await account.tenant.api.post(`/v1/keys/${account.keyId}/rotate`));
  expect(await place.type('eaas-files encrypt a --out v2.eaas', account.env)).toEqual(done);
  // To export a key, nothing but this permission is needed.
  const { record } = await account.tenant.issue({ permissions: ['keys.export'], key_ids: [account.keyId] });
  const exporting = 'eaas-files export-key --public-key public.pem --out key.json';
  expect(await place.type(exporting, { ...account.env, EAAS_API_KEY: record.api_key })).toEqual(done);
  return place;
}

test('an exported key decrypts files and values of the SDK, of every version, without a service', async () => {
  const place = await placeWithExport();
  const ciphertext = await client.encrypt('from a column', { context: { row: '42' } });
  await writeFile(place.at('value'), ciphertext);
  const lines = `${offline} v1.eaas v2.eaas && cmp a v1 && cmp a v2
${offline} bound.eaas --context document=17 && cmp a bound
${offline} < value --context row=42`;
  expect(await place.type(lines, noService)).toEqual({ ...done, stdout: 'from a column' });
});

async function placeWithIntake() {
  const { key_id } = await account.tenant.newKey({ exportable: true, intake: true });
  const env = { ...account.env, EAAS_KEY_ID: key_id };
  const place = await newPlace();
  const write = async (name: string): Promise<void> => {
    const { intake_public_key } = await client.publicKey(key_id);
    await writeFile(place.at('a'), plaintext);
    const encrypt = `eaas-files encrypt a --public-key ${intake_public_key} --context form=7 --out ${name}`;
    expect(await place.type(encrypt, {})).toEqual(done);
  };
  await write('v1.eaas');
  await client.keys.rotate(key_id);
  await write('v2.eaas');
  await writeFile(place.at('public.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
  await writeFile(place.at('private.pem'), pemOf(privateKey));
  const exporting = 'eaas-files export-key --public-key public.pem --out key.json';
  expect(await place.type(exporting, env)).toEqual(done);
  return { place, env };
}

test('an exported intake key decrypts files that writers encrypted to any key version, and rewrapped files', async () => {
  const { place, env } = await placeWithIntake();
  const rewrap = 'cp v1.eaas rewrapped.eaas && eaas-files rewrap rewrapped.eaas > /dev/null';
  expect(await place.type(rewrap, env)).toEqual(done);
  const lines = `${offline} v1.eaas v2.eaas rewrapped.eaas --context form=7
cmp a v1 && cmp a v2 && cmp a rewrapped`;
  expect(await place.type(lines, noService)).toEqual(done);
});

test('a file of a writer does not decrypt with another context or tenant', async () => {
  const { place } = await placeWithIntake();
  const ofTenant = await readFile(place.at('key.json'), 'utf8');
  const ofOther = ofTenant.replace(account.tenant.tenant_id, account.keyId);
  for (const [context, key] of Object.entries({ 'form=8': ofTenant, 'form=7': ofOther })) {
    await writeFile(place.at('key.json'), key);
    const failed = await place.type(`${offline} v1.eaas --context ${context}`, noService);
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^v1\.eaas: decryption failed/),
    });
  }
  expect((await place.list()).filter((name) => !name.includes('.'))).toEqual(['a']);
});

test('a file of a writer does not decrypt after a change of one byte of its wrapped key', async () => {
  const { place } = await placeWithIntake();
  const sealed = await readFile(place.at('v1.eaas'));
  // The wrapped key begins at byte 26. It consists of the version, the ciphertexts of ML-KEM and X25519, and the DEK.
  const places = { version: 31, mlkem: 500, x25519: 1_130, dek: 1_190 };
  for (const [name, at] of Object.entries(places)) {
    const altered = Buffer.from(sealed);
    altered.writeUInt8(altered.readUInt8(at) ^ 3, at);
    await writeFile(place.at(`${name}.eaas`), altered);
  }
  const files = Object.keys(places).map((name) => `${name}.eaas`);
  const { code, stderr } = await place.type(`${offline} ${files.join(' ')} --context form=7`, noService);
  expect({ code, failed: stderr.match(/^\w+\.eaas: decryption failed/gm)?.toSorted() }).toEqual({
    code: 1,
    failed: files.map((file) => `${file}: decryption failed`).toSorted(),
  });
});

test('decrypt writes no file for an altered file, or without its context', async () => {
  const place = await placeWithExport();
  const sealed = await readFile(place.at('v1.eaas'));
  sealed.writeUInt8(sealed.readUInt8(100_000) ^ 1, 100_000);
  await writeFile(place.at('altered.eaas'), sealed);
  const listed = await place.list();
  for (const name of ['altered', 'bound']) {
    expect(await place.type(`${offline} ${name}.eaas`, noService)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(new RegExp(`^${name}\\.eaas: decryption failed`)),
    });
  }
  expect(await place.list()).toEqual(listed);
});

test('an export with subjects decrypts the files and values of people, by their names', async () => {
  const place = await placeWithExport();
  const subject = crypto.randomUUID();
  const value = await client.encrypt('from a column', { subject });
  await writeFile(place.at('value'), value);
  const lines = `eaas-files encrypt a --out 42.eaas --subject 'patient 42'
eaas-files encrypt a --out 43.eaas --subject 'patient 43'
eaas-files decrypt 42.eaas --subject 'patient 42' && cmp a 42 && rm 42`;
  expect(await place.type(lines, account.env)).toEqual(done);
  ok(await account.tenant.api.post('/v1/subjects/erase', { subject: 'patient 43' }));
  const without = await place.type(`${offline} 42.eaas --subject 'patient 42'`, noService);
  expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('`export-key --subjects`') });

  const exporting = 'eaas-files export-key --public-key public.pem --out key.json --force --subjects';
  expect(await place.type(exporting, account.env)).toEqual(done);
  const opened = `${offline} 42.eaas --subject 'patient 42' && cmp a 42
${offline} v1.eaas --force && cmp a v1`;
  expect(await place.type(opened, noService)).toEqual(done);
  expect(await place.type(`${offline} < value --subject ${subject.toUpperCase()}`, noService)).toEqual({
    ...done,
    stdout: 'from a column',
  });
  for (const [words, message] of [
    ['42.eaas', /^42\.eaas: the file belongs to a person: pass --subject/],
    ["42.eaas --subject 'patient 41'", /^42\.eaas: key\.json does not have this subject/],
    ["43.eaas --subject 'patient 43'", /^43\.eaas: key\.json does not have this subject: it was erased/],
    ["v1.eaas --subject 'patient 42'", /^v1\.eaas: the file belongs to nobody: leave out --subject/],
  ] as const) {
    const refused = await place.type(`${offline} ${words} --force`, noService);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
  }
});

test('a subject is kept by rewrap, which gives one to the file of a writer', async () => {
  const { place, env } = await placeWithIntake();
  const lines = `eaas-files rewrap v1.eaas --subject 42 > log
eaas-files decrypt v1.eaas --subject 42 --context form=7 && cmp a v1
eaas-files rewrap v1.eaas --subject 42 > log`;
  expect(await place.type(lines, env)).toEqual(done);
  const bare = await place.type('eaas-files rewrap v1.eaas > log', env);
  expect(bare).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('belongs to a person: pass --subject'),
  });
  const writer = await place.type('eaas-files encrypt a --out w.eaas --public-key key --subject 42', {});
  expect(writer).toMatchObject({ code: 2, stderr: expect.stringContaining('not with --public-key') });
});

test('decrypt accepts an exported key as one response of the API or as a list of all responses', async () => {
  const place = await placeWithExport();
  const body = { public_key: publicKey.export({ format: 'jwk' }) };
  const first = ok(await account.tenant.api.post(`/v1/keys/${account.keyId}/export`, body));
  await writeFile(place.at('key.json'), JSON.stringify(first));
  await writeFile(place.at('private.pem'), JSON.stringify(privateKey.export({ format: 'jwk' })));
  expect(await place.type(`${offline} v2.eaas && cmp a v2`, noService)).toEqual(done);
  const { versions, ...key } = first;
  const pages = versions.map((version) => Object.assign({ versions: [version] }, key));
  expect(pages.length).toBeGreaterThan(1);
  await writeFile(place.at('key.json'), JSON.stringify(pages));
  expect(await place.type(`${offline} v1.eaas && cmp a v1`, noService)).toEqual(done);

  // A part alone would open some files, and of the others say a wrong cause.
  const last = pages.length;
  const whole = [{ ...pages[0], next_version: 2 }, ...pages.slice(1)];
  const people = { subjects: [], subjects_key: first.hash_key, next_subject: 'f'.repeat(64) };
  const cases: [object, string | undefined][] = [
    [whole, undefined],
    [{ ...pages[0], next_version: 2 }, 'without its versions from 2'],
    [[...whole, { ...pages.at(-1), next_version: last + 1 }], `without its versions from ${last + 1}`],
    [{ ...first, ...people }, 'without its people'],
    [
      [
        { ...first, ...people },
        { ...first, ...people, next_subject: null },
      ],
      undefined,
    ],
  ];
  for (const [parts, missing] of cases) {
    await writeFile(place.at('key.json'), JSON.stringify(parts));
    const { code, stderr } = await place.type(`${offline} v1.eaas --force`, noService);
    const [said] = /(?<=^key\.json is a part of an export, ).*(?=: )/.exec(stderr) ?? [];
    expect([code, said]).toEqual([missing ? 3 : 0, missing]);
  }
  await writeFile(place.at('key.json'), JSON.stringify({ ...first, format: 2, unknown: '' }));
  const later = await place.type(`${offline} v1.eaas --force`, noService);
  expect(later).toMatchObject({ code: 3, stderr: expect.stringContaining('of this version or earlier') });
});

test('decrypt writes no file for another private key', async () => {
  const place = await placeWithExport();
  await writeFile(place.at('stranger.pem'), pemOf(stranger));
  const listed = await place.list();
  const line = 'eaas-files decrypt v1.eaas --exported-key key.json --private-key stranger.pem';
  expect(await place.type(line, noService)).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^The private key does not decrypt key\.json/),
  });
  expect(await place.list()).toEqual(listed);
});

test('decrypt with a key that was exported before a rotation reports the missing key version', async () => {
  const place = await placeWithExport();
  ok(await account.tenant.api.post(`/v1/keys/${account.keyId}/rotate`));
  await place.type('eaas-files encrypt a --out later.eaas', account.env);
  const { code, stderr } = await place.type(`${offline} later.eaas v1.eaas && cmp a v1`, noService);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^later\.eaas: key\.json has no version \d+ of the key .*: export the key again/);
  expect(await place.list()).not.toContain('later');
  expect(await place.list()).toContain('v1');
});

test('export-key refuses a private key and a key that is not exportable', async () => {
  const place = await placeWithExport();
  const line = 'eaas-files export-key --public-key';
  const again = await place.type(`${line} public.pem --out key.json`, account.env);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('key.json exists') });
  const secret = await place.type(`${line} private.pem`, account.env);
  expect(secret).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('RSA public key') });
  const { key_id } = await account.tenant.newKey();
  const refused = await place.type(`${line} public.pem --key ${key_id}`, account.env);
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('exportable') });
});
