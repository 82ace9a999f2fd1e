import { beforeAll, describe, expect, test } from 'vitest';
import { covers } from './covers.ts';
import { takeApart } from './decoder.ts';
import {
  expectNothingRecorded,
  type KeyRecord,
  keyIn,
  newestEntry,
  newTenant,
  ok,
  type Tenant,
  unknownId,
} from './fixture.ts';
import { aBase64, auditEntry } from './shapes.ts';

let tenant: Tenant;
let key: KeyRecord;

beforeAll(async () => {
  tenant = await newTenant();
  key = await tenant.newKey();
});

const encrypt = (plaintext: unknown, fields: object = {}) =>
  tenant.api.post('/v1/encrypt', { plaintext, key_id: key.key_id, ...fields });

test(
  'answers the five fields of the bundle and no other',
  covers(
    'interface: Encrypts text with the specified key.',
    'interface: Response 200: ciphertext, wrapped_key, iv, key_id, key_version.',
    'interface: Encrypted bundle: ciphertext (string), wrapped_key (string), iv (string), key_id (UUID), key_version (integer).',
    'interface: The cipher is authenticated (a GCM tag). The data key (DEK) is 32 bytes; values are base64.',
  ),
  async () => {
    const answer = await encrypt('Grüße, 世界 🌍');
    expect(answer).toHaveStatus(200);
    expect(answer.body).toStrictEqual({
      ciphertext: aBase64,
      wrapped_key: aBase64,
      iv: aBase64,
      key_id: key.key_id,
      key_version: 1,
    });
    expect(answer.text).not.toContain('Grüße');
  },
);

test(
  'what was encrypted is decrypted, whatever characters it has',
  covers(
    'interface: Server mode: the caller sends plaintext to the service, which encrypts it under a named key and decrypts it on request.',
    'contract: In `plaintext` and `value` every character is data, NUL and a leading U+FEFF too, and so is the empty string.',
  ),
  async () => {
    const texts = [
      '',
      ' ',
      '\u0000',
      'a\u0000b',
      '\uFEFFmarked',
      '\u0085\u007F\n\r\t',
      '🌍',
      'e\u0301',
      '"\\',
    ];
    for (const plaintext of texts) {
      const { ciphertext, key_id, key_version } = ok(await encrypt(plaintext));
      const answer = await tenant.api.post('/v1/decrypt', { ciphertext, key_id, key_version });
      expect(answer.body).toStrictEqual({ plaintext });
    }
  },
);

test(
  'uses the version that is current, and keeps the older ones for decryption',
  covers('interface: Has an integer key_version that grows with rotation.'),
  async () => {
    const rotating = await tenant.newKey();
    const body = { plaintext: 'x', key_id: rotating.key_id };
    const before = ok(await tenant.api.post('/v1/encrypt', body));
    ok(await tenant.api.post(`/v1/keys/${rotating.key_id}/rotate`));
    const after = ok(await tenant.api.post('/v1/encrypt', body));
    expect([before.key_version, after.key_version]).toStrictEqual([1, 2]);
    for (const { ciphertext, key_id, key_version } of [before, after]) {
      const opened = await tenant.api.post('/v1/decrypt', { ciphertext, key_id, key_version });
      expect(opened.body).toStrictEqual({ plaintext: 'x' });
    }
  },
);

test(
  'an older version presented for what a newer one encrypted does not decrypt it',
  covers('interface: Key versions must be stored with each ciphertext and presented on decrypt.'),
  async () => {
    const rotating = await tenant.newKey();
    ok(await tenant.api.post(`/v1/keys/${rotating.key_id}/rotate`));
    const { ciphertext, key_id } = ok(
      await tenant.api.post('/v1/encrypt', { plaintext: 'x', key_id: rotating.key_id }),
    );
    const older = await tenant.api.post('/v1/decrypt', { ciphertext, key_id, key_version: 1 });
    expect(older).toBeProblem('decryption_failed');
    expect(await tenant.api.post('/v1/decrypt', { ciphertext, key_id })).toBeProblem(
      'bad_request',
      /key_version/,
    );
  },
);

test(
  'is recorded, with the key, its version and who did it',
  covers(
    'interface: Recorded in the audit log as encrypt.',
    'interface: encrypt / decrypt: encrypt / decrypt',
    'contract: `context` is logged.',
  ),
  async () => {
    await encrypt('a secret that no log may hold', { context: { purpose: 'invoice 4711' } });
    const entry = await newestEntry(tenant);
    expect(entry).toStrictEqual(
      auditEntry({
        action: 'encrypt',
        key_id: key.key_id,
        actor: tenant.apiKeyId,
        tenant_id: tenant.tenant_id,
      }),
    );
    expect(JSON.stringify(entry.metadata)).toContain('invoice 4711');
    expect(JSON.stringify(entry)).not.toContain('a secret that');
  },
);

describe('plaintext', () => {
  test.for([
    ['ASCII', 'a'.repeat(65_536), 'a'.repeat(65_537)],
    ['two bytes a character', 'é'.repeat(32_768), `${'é'.repeat(32_768)}a`],
    ['NUL, six characters of JSON each', '\u0000'.repeat(65_536), '\u0000'.repeat(65_537)],
    ['four bytes a character', '🌍'.repeat(16_384), `${'🌍'.repeat(16_384)}a`],
  ] as const)(
    'has at most 65,536 bytes of UTF-8: %s',
    covers(
      'interface: plaintext: string, required, max 64 KB.',
      'interface: plaintext size on encrypt: max 64 KB',
      'contract: Sizes count UTF-8 bytes. `plaintext` and `value`: 65,536 accepted, 65,537 is 400.',
    ),
    async ([, most, more]) => {
      const bundle = ok(await encrypt(most));
      const { ciphertext, key_id, key_version } = bundle;
      const opened = ok(await tenant.api.post('/v1/decrypt', { ciphertext, key_id, key_version }));
      expect(opened.plaintext === most).toBe(true);
      expect(await encrypt(more)).toBeProblem('bad_request', /plaintext/);
    },
  );

  test(
    'is required, and a string',
    covers(
      'interface: 400 Bad Request: missing required field',
      'contract: A missing field is named in `detail`.',
    ),
    async () => {
      const missing = await tenant.api.post('/v1/encrypt', { key_id: key.key_id });
      expect(missing).toBeProblem('bad_request', /plaintext/);
      for (const plaintext of [null, 1, true, ['x'], { text: 'x' }]) {
        expect(await encrypt(plaintext)).toBeProblem('bad_request', /plaintext/);
      }
    },
  );
});

test(
  'takes the id of the key and never its name',
  covers(
    'interface: key_id: string, required; UUID of the key as returned by POST /v1/keys, never the name.',
    'interface: The name is never accepted where key_id or a path id is expected.',
    'interface: 404 Not Found: key not found for this tenant (for instance a name given where the UUID is expected)',
  ),
  async () => {
    const missing = await tenant.api.post('/v1/encrypt', { plaintext: 'x' });
    expect(missing).toBeProblem('bad_request', /key_id/);
    for (const key_id of [key.name, unknownId(), '', `{${key.key_id}}`]) {
      expect(await encrypt('x', { key_id })).toBeProblem('not_found');
    }
  },
);

test(
  'a key whose name is the id of another is still found by its own id only',
  covers('interface: The name is never accepted where key_id or a path id is expected.'),
  async () => {
    const name = unknownId();
    await tenant.newKey({ name });
    expect(await encrypt('x', { key_id: name })).toBeProblem('not_found');
    expect(await tenant.api.get(`/v1/keys/${name}`)).toBeProblem('not_found');
  },
);

test.for(['disabled', 'pending_destruction', 'destroyed'] as const)(
  'a key that is %s encrypts nothing, and the refusal is not recorded',
  covers(
    'interface: 409 Conflict: operation refused by key state',
    'contract: Nothing else is recorded; refusals are never counted in usage.',
  ),
  async (status) => {
    const { key_id } = await keyIn(tenant, status);
    await expectNothingRecorded(tenant, async () => {
      expect(await encrypt('x', { key_id })).toBeProblem('key_state');
    });
  },
);

test(
  'the context is authenticated: another does not open, and no context is the empty one',
  covers('contract: `context` (object of strings) is authenticated with the body.'),
  async () => {
    const context = { b: '2', a: '1', ключ: 'значение' };
    const { ciphertext, key_id, key_version } = ok(await encrypt('x', { context }));
    const decrypt = (other?: object) =>
      tenant.api.post('/v1/decrypt', { ciphertext, key_id, key_version, ...(other && { context: other }) });
    expect((await decrypt({ ключ: 'значение', a: '1', b: '2' })).body).toStrictEqual({ plaintext: 'x' });
    for (const other of [undefined, {}, { a: '1' }, { ...context, c: '3' }, { ...context, a: '2' }]) {
      expect(await decrypt(other)).toBeProblem('decryption_failed');
    }
    const plain = ok(await encrypt('y', { context: {} }));
    const opened = await tenant.api.post('/v1/decrypt', {
      ciphertext: plain.ciphertext,
      key_id,
      key_version,
    });
    expect(opened.body).toStrictEqual({ plaintext: 'y' });
  },
);

test.for([
  ['a list', []],
  ['a text', 'purpose'],
  ['a value that is a number', { purpose: 1 }],
  ['a value that is null', { purpose: null }],
  ['a nameless value', { '': 'x' }],
  ['a name over 128 bytes', { ['n'.repeat(129)]: 'x' }],
  ['a control character in a name', { 'a\nb': 'x' }],
  ['a control character in a value', { a: 'x\u0085' }],
  ['NUL in a value', { a: '\u0000' }],
  ['more than 4,096 bytes in all', { a: 'x'.repeat(4_096) }],
] as const)(
  'a context that cannot be authenticated is refused: %s',
  covers('contract: What is stored (names, context) has no control characters.'),
  async ([, context]) => {
    await expectNothingRecorded(tenant, async () => {
      expect(await encrypt('x', { context })).toBeProblem('bad_request', /context/);
    });
  },
);

test(
  'a context takes 4,096 bytes, encoded, and a name 128',
  covers('contract: `context` (object of strings) is authenticated with the body.'),
  async () => {
    const overhead = 4 + 4 + 128 + 4; // the count, and a length before the name and before the value
    const context = { ['n'.repeat(128)]: 'v'.repeat(4_096 - overhead) };
    expect(await encrypt('x', { context })).toHaveStatus(200);
    expect(
      await encrypt('x', { context: { ...context, ['n'.repeat(128)]: 'v'.repeat(4_097 - overhead) } }),
    ).toBeProblem('bad_request');
  },
);

test(
  'no two bundles share an iv, a data key or a ciphertext',
  covers('envelope: The iv and the DEK are random: no two bundles share one.'),
  async () => {
    const bundles = await Promise.all(Array.from({ length: 20 }, async () => ok(await encrypt('the same'))));
    for (const part of ['iv', 'wrapped_key', 'ciphertext'] as const) {
      expect(new Set(bundles.map((bundle) => bundle[part])).size).toBe(20);
    }
    const commitments = bundles.map(({ ciphertext }) => takeApart(ciphertext).commitment.toString('hex'));
    expect(new Set(commitments).size).toBe(20);
  },
);
