import { beforeAll, expect, test } from 'vitest';
import { covers } from './covers.ts';
import { openEnvelope, takeApart } from './decoder.ts';
import { openedBy, sealedUnder } from './other-client.ts';
import { type KeyRecord, newTenant, ok, type Tenant } from './fixture.ts';

let tenant: Tenant;
let key: KeyRecord;

beforeAll(async () => {
  tenant = await newTenant();
  key = await tenant.newKey();
});

const context = { table: 'patients', имя: 'значение' };

async function encrypted(plaintext: string, fields: object = {}) {
  return ok(await tenant.api.post('/v1/encrypt', { plaintext, key_id: key.key_id, ...fields }));
}

async function dekOf(wrapped_key: string, keyId = key.key_id): Promise<string> {
  return ok(await tenant.api.post(`/v1/keys/${keyId}/unwrap`, { wrapped_key })).dek;
}

test(
  'the ciphertext is the envelope, and the other fields are copies of its parts',
  covers(
    'envelope: Magic 79 A6 AC: in base64 every ciphertext begins `eaas`; then version 01, key_id, key_version, n, wrapped_key, iv, C, body and tag.',
    "envelope: The bundle's `ciphertext` is all of this in base64; `wrapped_key`, `iv`, `key_id`, `key_version` are copies of its parts.",
    'envelope: The AES-256-GCM ciphertext is as long as the plaintext.',
  ),
  async () => {
    const bundle = await encrypted('seventeen bytes..');
    const parts = takeApart(bundle.ciphertext);
    expect(bundle.ciphertext).toMatch(/^eaas/);
    expect(parts).toMatchObject({
      magic: '79a6ac',
      version: 1,
      keyId: bundle.key_id,
      keyVersion: bundle.key_version,
      wrappedKey: bundle.wrapped_key,
      iv: bundle.iv,
    });
    expect(Buffer.from(bundle.iv, 'base64')).toHaveLength(12);
    expect(parts.body).toHaveLength(17 + 16);
  },
);

test(
  'what the server encrypted opens with the unwrapped DEK and node:crypto',
  covers(
    'envelope: K || C = HKDF-SHA-256(ikm = DEK, salt = empty, info = "eaas envelope v1", 64 bytes).',
    'envelope: AAD = the first 20 bytes (magic, version, key_id) || encode(context).',
    'contract: A bundle from either mode opens in the other: the client opens what the server encrypted (through unwrap), and `/v1/decrypt` opens what the client encrypted.',
  ),
  async () => {
    const plain = await encrypted('Grüße');
    const dek = await dekOf(plain.wrapped_key);
    expect(Buffer.from(dek, 'base64')).toHaveLength(32);
    expect(openEnvelope(plain.ciphertext, dek).toString()).toBe('Grüße');
    const bound = await encrypted('Grüße', { context });
    const boundDek = await dekOf(bound.wrapped_key);
    expect(openEnvelope(bound.ciphertext, boundDek, context).toString()).toBe('Grüße');
    expect(() => openEnvelope(bound.ciphertext, boundDek)).toThrow('unable to authenticate');
    expect(() => openEnvelope(bound.ciphertext, dek, context)).toThrow('commitment');
  },
);

test(
  'what the server encrypted opens with the protocol package',
  covers(
    'contract: A bundle from either mode opens in the other: the client opens what the server encrypted (through unwrap), and `/v1/decrypt` opens what the client encrypted.',
  ),
  async () => {
    expect(await openedBy(tenant.api, (await encrypted('x')).ciphertext)).toBe('x');
    expect(await openedBy(tenant.api, (await encrypted('y', { context })).ciphertext, context)).toBe('y');
  },
);

test(
  'what a client encrypted, /v1/decrypt opens',
  covers(
    'contract: A bundle from either mode opens in the other: the client opens what the server encrypted (through unwrap), and `/v1/decrypt` opens what the client encrypted.',
    'interface: Envelope mode: the caller encrypts locally, using keys wrapped and unwrapped by the service.',
  ),
  async () => {
    const { ciphertext } = await sealedUnder(tenant.api, key.key_id, [Buffer.from('by the client')], context);
    const body = { ciphertext, key_id: key.key_id, key_version: 1 };
    const opened = await tenant.api.post('/v1/decrypt', { ...body, context });
    expect(opened.body).toStrictEqual({ plaintext: 'by the client' });
    expect(await tenant.api.post('/v1/decrypt', body)).toBeProblem('decryption_failed');
  },
);

test(
  'a tenant that moves to envelope-only goes on reading what server mode wrote',
  covers('contract: A tenant that moves to envelope-only re-encrypts nothing.'),
  async () => {
    const moving = await newTenant();
    const { key_id } = await moving.newKey();
    const bundle = ok(await moving.api.post('/v1/encrypt', { plaintext: 'kept', key_id }));
    await moving.set('--envelope-only', 'true');
    const { ciphertext, key_version } = bundle;
    const refused = await moving.api.post('/v1/decrypt', { ciphertext, key_id, key_version });
    expect(refused).toBeProblem('envelope_only');
    expect(await openedBy(moving.api, ciphertext)).toBe('kept');
    const sealed = await sealedUnder(moving.api, key_id, [Buffer.from('new')]);
    await moving.set('--envelope-only', 'false');
    const back = await moving.api.post('/v1/decrypt', { ciphertext: sealed.ciphertext, key_id, key_version });
    expect(back.body).toStrictEqual({ plaintext: 'new' });
  },
);
