import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { covers } from './covers.ts';
import { takeApart } from './decoder.ts';
import { sealedUnder } from './other-client.ts';
import {
  bring,
  expectNothingRecorded,
  type KeyRecord,
  newestEntry,
  newTenant,
  ok,
  type Tenant,
  unknownId,
} from './fixture.ts';
import { auditEntry } from './shapes.ts';

interface Bundle {
  ciphertext: string;
  wrapped_key: string;
  iv: string;
  key_id: string;
  key_version: number;
}

let tenant: Tenant;
let key: KeyRecord;
let bundle: Bundle;

beforeAll(async () => {
  tenant = await newTenant();
  key = await tenant.newKey();
  bundle = await encrypted('the plaintext');
});

async function encrypted(plaintext: string, keyId = key.key_id): Promise<Bundle> {
  return ok(await tenant.api.post('/v1/encrypt', { plaintext, key_id: keyId }));
}

const stored = ({ ciphertext, key_id, key_version }: Bundle) => ({ ciphertext, key_id, key_version });
const decrypt = (body: object) => tenant.api.post('/v1/decrypt', body);

/** The bundle's ciphertext with the bits of one byte changed. */
function altered(offset: number, mask = 1): string {
  const bytes = Buffer.from(bundle.ciphertext, 'base64');
  const at = offset < 0 ? bytes.length + offset : offset;
  bytes.writeUInt8(bytes.readUInt8(at) ^ mask, at);
  return bytes.toString('base64');
}

test(
  'answers the plaintext and nothing else, given ciphertext, key_id and key_version',
  covers(
    'interface: Decrypts a ciphertext. The key_id and key_version stored with the ciphertext are needed.',
    'interface: Response 200: an object with only plaintext (string).',
    'contract: `ciphertext`, `key_id` and `key_version` are enough for decrypt.',
  ),
  async () => {
    const answer = await decrypt(stored(bundle));
    expect(answer).toHaveStatus(200);
    expect(answer.body).toStrictEqual({ plaintext: 'the plaintext' });
  },
);

test(
  'takes the whole bundle as encrypt returned it',
  covers('interface: The request shape also carries wrapped_key and iv (both as returned by encrypt).'),
  async () => {
    expect((await decrypt(bundle)).body).toStrictEqual({ plaintext: 'the plaintext' });
    const { iv, ...withoutIv } = bundle;
    expect((await decrypt(withoutIv)).body).toStrictEqual({ plaintext: 'the plaintext' });
    expect((await decrypt({ ...stored(bundle), iv })).body).toStrictEqual({ plaintext: 'the plaintext' });
  },
);

test(
  'an answer that carries a plaintext is not to be stored on its way',
  covers('contract: Answers that carry secrets say `Cache-Control: no-store`.'),
  async () => {
    expect((await decrypt(stored(bundle))).headers.get('cache-control')).toBe('no-store');
  },
);

test(
  'is recorded as decrypt',
  covers(
    'interface: Recorded as decrypt; never refused for quota.',
    'interface: encrypt / decrypt: encrypt / decrypt',
  ),
  async () => {
    ok(await decrypt(stored(bundle)));
    expect(await newestEntry(tenant)).toStrictEqual(
      auditEntry({ action: 'decrypt', key_id: key.key_id, key_version: 1, actor: tenant.apiKeyId }),
    );
  },
);

test.for(['ciphertext', 'key_id', 'key_version'] as const)(
  '%s is required',
  covers(
    'interface: ciphertext: string, required, as returned by encrypt.',
    'interface: key_id: string, required; key_version: integer, required; both stored with the ciphertext.',
    'contract: A missing field is named in `detail`.',
  ),
  async (name) => {
    const body = Object.fromEntries(Object.entries(stored(bundle)).filter(([field]) => field !== name));
    expect(await decrypt(body)).toBeProblem('bad_request', new RegExp(name));
  },
);

test.for([
  ['ciphertext', 5],
  ['ciphertext', null],
  ['key_id', 5],
  ['key_version', '1'],
  ['key_version', 1.5],
  ['key_version', null],
  ['wrapped_key', 5],
  ['iv', ['x']],
  ['context', 'x'],
] as const)(
  'a field of another type is 400: %s as %j',
  covers(
    'interface: key_id: string, required; key_version: integer, required; both stored with the ciphertext.',
  ),
  async ([name, value]) => {
    await expectNothingRecorded(tenant, async () => {
      expect(await decrypt({ ...bundle, [name]: value })).toBeProblem('bad_request', new RegExp(name));
    });
  },
);

describe('base64 that is not canonical, or empty, is 400', () => {
  test.for(['ciphertext', 'wrapped_key', 'iv'] as const)(
    'in %s',
    covers(
      "contract: Base64 that isn't canonical, or empty, is 400 (on unwrap too, where canonical base64 of a wrong length is 403).",
      'contract: Base64 is the standard alphabet with padding, canonical: what decodes must re-encode to the same string, else 400.',
      'interface: 400 Bad Request: non-conforming base64',
    ),
    async (name) => {
      const spellings = [
        '',
        'AAA',
        'AAAAA',
        'AAA\n',
        ' AAAA',
        'AA-_',
        'AB==',
        'AAB=',
        'AA==AAAA',
        '====',
        'AAA$',
      ];
      await expectNothingRecorded(tenant, async () => {
        for (const spelling of spellings) {
          expect(await decrypt({ ...bundle, [name]: spelling })).toBeProblem('bad_request', new RegExp(name));
        }
      });
    },
  );
});

const failures: [string, () => object | Promise<object>][] = [
  ['another magic', () => ({ ciphertext: altered(0) })],
  ['version 0', () => ({ ciphertext: altered(3) })],
  ['an envelope that names another key', () => ({ ciphertext: altered(4) })],
  ['an envelope that names another version', () => ({ ciphertext: altered(23) })],
  ['n of another length', () => ({ ciphertext: altered(25) })],
  ['an altered embedded wrapped_key', () => ({ ciphertext: altered(40) })],
  ['an altered iv', () => ({ ciphertext: altered(26 + 78) })],
  ['an altered commitment', () => ({ ciphertext: altered(26 + 78 + 12) })],
  ['an altered body', () => ({ ciphertext: altered(26 + 78 + 12 + 32) })],
  ['an altered tag', () => ({ ciphertext: altered(-1, 0x80) })],
  ['an envelope cut short', () => ({ ciphertext: bundle.ciphertext.slice(0, 160) })],
  ['only a byte', () => ({ ciphertext: 'AA==' })],
  ['no envelope at all', () => ({ ciphertext: randomBytes(200).toString('base64') })],
  ['another key_version', () => ({ key_version: 2 })],
  ['a key_version of 0', () => ({ key_version: 0 })],
  ['a negative key_version', () => ({ key_version: -1 })],
  ['a key_version over 32 bits', () => ({ key_version: 2 ** 32 + 1 })],
  ['an iv of another size', () => ({ iv: 'AAAA' })],
  ['another iv', () => ({ iv: randomBytes(12).toString('base64') })],
  ['a wrapped_key of another length', () => ({ wrapped_key: 'AAAA' })],
  ['a wrapped_key of nobody', () => ({ wrapped_key: randomBytes(78).toString('base64') })],
  [
    'the wrapped_key of another bundle',
    async () => ({ wrapped_key: (await encrypted('other')).wrapped_key }),
  ],
  ['a stream (version 2)', async () => ({ ciphertext: (await sealedUnder(tenant.api, key.key_id)).stream })],
  [
    'bytes that are not UTF-8',
    async () => sealed(await sealedUnder(tenant.api, key.key_id, [Buffer.of(0xc3)])),
  ],
  [
    'a lone surrogate in CESU bytes',
    async () => sealed(await sealedUnder(tenant.api, key.key_id, [Buffer.of(0xed, 0xa0, 0x80)])),
  ],
];
const sealed = ({ ciphertext }: { ciphertext: string }) => ({
  ciphertext,
  wrapped_key: undefined,
  iv: undefined,
});

describe('what does not decrypt is 422', () => {
  test.for(failures)(
    '%s',
    covers(
      'interface: Response 422 (Decryption Failed) when the ciphertext was altered, the key does not match, or the GCM tag is invalid.',
      'interface: 422 Decryption Failed: altered ciphertext, wrong key, invalid GCM tag',
      'contract: After that every failure is 422: magic, lengths, iv size, versions, unauthentic wrapped_key, commitment, tag, plaintext that is not UTF-8.',
      'envelope: `/v1/decrypt` refuses version 2 (422).',
    ),
    async ([, change]) => {
      const answer = await decrypt({ ...stored(bundle), ...(await change()) });
      expect(answer).toBeProblem('decryption_failed');
      expect(answer.text).not.toContain('the plaintext');
    },
  );

  test(
    'a plaintext of more than 64 KB that another client sealed is still a plaintext',
    covers(
      'contract: A bundle from either mode opens in the other: the client opens what the server encrypted (through unwrap), and `/v1/decrypt` opens what the client encrypted.',
    ),
    async () => {
      const { ciphertext } = await sealedUnder(tenant.api, key.key_id, [Buffer.alloc(100_000, 'a')]);
      const opened = await decrypt({ ciphertext, key_id: key.key_id, key_version: 1 });
      expect(opened).toHaveStatus(200);
    },
  );

  test(
    'another key than the one that encrypted',
    covers('interface: 422 Decryption Failed: altered ciphertext, wrong key, invalid GCM tag'),
    async () => {
      const other = await tenant.newKey();
      expect(await decrypt({ ...stored(bundle), key_id: other.key_id })).toBeProblem('decryption_failed');
      expect(await decrypt({ ...bundle, key_id: other.key_id })).toBeProblem('decryption_failed');
    },
  );

  test(
    'says the same of every failure',
    covers(
      'contract: `detail` says what to do next and never holds key material, plaintext, a token or SQL.',
    ),
    async () => {
      const tag = await decrypt({ ...stored(bundle), ciphertext: altered(-1) });
      const commitment = await decrypt({ ...stored(bundle), ciphertext: altered(26 + 78 + 12) });
      const wrapped = await decrypt({ ...stored(bundle), ciphertext: altered(40) });
      expect(commitment.body).toStrictEqual(tag.body);
      expect(wrapped.body).toStrictEqual(tag.body);
    },
  );
});

test(
  'a failure is recorded as refused, with its code',
  covers(
    'contract: Recorded refusals, with `metadata.outcome: "refused"` and `metadata.code`: unwrap 403 and 409, decrypt 409 and 422, rewrap 403 (as `key.wrap`).',
  ),
  async () => {
    await decrypt({ ...stored(bundle), ciphertext: altered(-1) });
    expect(await newestEntry(tenant)).toMatchObject({
      action: 'decrypt',
      key_id: key.key_id,
      actor: tenant.apiKeyId,
      metadata: { outcome: 'refused', code: 'decryption_failed' },
    });
  },
);

test(
  'a disabled key still decrypts; one that is to be destroyed does not, and that is recorded',
  covers(
    'contract: disabled allows unwrap, decrypt, export, rotation policy and GET; the rest is 409.',
    'contract: pending_destruction allows only GET and restore (else 409).',
    'contract: Recorded refusals, with `metadata.outcome: "refused"` and `metadata.code`: unwrap 403 and 409, decrypt 409 and 422, rewrap 403 (as `key.wrap`).',
  ),
  async () => {
    const { key_id } = await tenant.newKey();
    const old = await encrypted('recoverable', key_id);
    await bring(tenant.api, key_id, 'disabled');
    expect((await decrypt(stored(old))).body).toStrictEqual({ plaintext: 'recoverable' });
    ok(await tenant.api.delete(`/v1/keys/${key_id}`));
    expect(await decrypt(stored(old))).toBeProblem('key_state');
    expect(await newestEntry(tenant)).toMatchObject({
      action: 'decrypt',
      key_id,
      metadata: { outcome: 'refused', code: 'key_state' },
    });
  },
);

test(
  'nothing that names no key of the tenant is recorded',
  covers('contract: Nothing else is recorded; refusals are never counted in usage.'),
  async () => {
    await expectNothingRecorded(tenant, async () => {
      for (const key_id of [unknownId(), key.name, '']) {
        expect(await decrypt({ ...stored(bundle), key_id })).toBeProblem('not_found');
      }
    });
  },
);

describe('a presented wrapped_key and iv are used in place of the embedded ones', () => {
  test(
    'with them, damaged embedded ones do not matter',
    covers(
      'contract: `wrapped_key` and `iv`, when presented on decrypt, are used in place of the embedded ones.',
    ),
    async () => {
      const damagedKey = await decrypt({ ...bundle, ciphertext: altered(40) });
      expect(damagedKey.body).toStrictEqual({ plaintext: 'the plaintext' });
      const damagedIv = await decrypt({ ...bundle, ciphertext: altered(26 + 78) });
      expect(damagedIv.body).toStrictEqual({ plaintext: 'the plaintext' });
    },
  );

  test(
    'a rewrapped key opens the old body, presented with its new version',
    covers(
      "contract: `key_version` must be that of the wrapped_key used (and of the envelope's header, where the embedded one is used), `key_id` that of the header.",
    ),
    async () => {
      const { key_id } = await tenant.newKey();
      const old = await encrypted('moved on', key_id);
      ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
      const rewrapped = ok(
        await tenant.api.post(`/v1/keys/${key_id}/rewrap`, { wrapped_key: old.wrapped_key }),
      );
      const { wrapped_key } = rewrapped;
      const presented = await decrypt({ ...old, wrapped_key, key_version: 2 });
      expect(presented.body).toStrictEqual({ plaintext: 'moved on' });
      expect(await decrypt({ ...old, wrapped_key, key_version: 1 })).toBeProblem('decryption_failed');
      expect(await decrypt({ ...stored(old), key_version: 2 })).toBeProblem('decryption_failed');
      expect((await decrypt(stored(old))).body).toStrictEqual({ plaintext: 'moved on' });
    },
  );

  test(
    'with a presented wrapped_key the version in the header does not matter; with the embedded one it does',
    covers(
      "contract: `key_version` must be that of the wrapped_key used (and of the envelope's header, where the embedded one is used), `key_id` that of the header.",
    ),
    async () => {
      const ciphertext = altered(23, 0x7f);
      expect((await decrypt({ ...bundle, ciphertext })).body).toStrictEqual({ plaintext: 'the plaintext' });
      const { iv } = bundle;
      expect(await decrypt({ ...stored(bundle), ciphertext, iv })).toBeProblem('decryption_failed');
      const named = { ...stored(bundle), ciphertext, key_version: 0x7e };
      expect(await decrypt(named)).toBeProblem('decryption_failed');
    },
  );

  test(
    'key_id must be that of the header, even with a wrapped_key of that key',
    covers(
      "contract: `key_version` must be that of the wrapped_key used (and of the envelope's header, where the embedded one is used), `key_id` that of the header.",
    ),
    async () => {
      const { key_id } = await tenant.newKey();
      const { dek } = ok(
        await tenant.api.post(`/v1/keys/${key.key_id}/unwrap`, { wrapped_key: bundle.wrapped_key }),
      );
      const { wrapped_key } = ok(await tenant.api.post(`/v1/keys/${key_id}/wrap`, { dek }));
      expect(await decrypt({ ...bundle, key_id, wrapped_key })).toBeProblem('decryption_failed');
    },
  );
});

test(
  'the wrapped key inside a bundle is wrapped without context, also where the body has one',
  covers('envelope: The embedded wrapped_key is wrapped without context, always.'),
  async () => {
    const context = { table: 'patients' };
    const body = { plaintext: 'x', key_id: key.key_id, context };
    const { ciphertext, wrapped_key } = ok(await tenant.api.post('/v1/encrypt', body));
    expect(takeApart(ciphertext).wrappedKey).toBe(wrapped_key);
    const unwrap = (fields: object) =>
      tenant.api.post(`/v1/keys/${key.key_id}/unwrap`, { wrapped_key, ...fields });
    expect(await unwrap({})).toHaveStatus(200);
    expect(await unwrap({ context })).toBeProblem('wrapped_key_unauthentic');
  },
);

test(
  'a wrapped key with a context is not one that a bundle can use',
  covers('envelope: The embedded wrapped_key is wrapped without context, always.'),
  async () => {
    const context = { table: 'patients' };
    const { dek } = ok(
      await tenant.api.post(`/v1/keys/${key.key_id}/unwrap`, { wrapped_key: bundle.wrapped_key }),
    );
    const { wrapped_key } = ok(await tenant.api.post(`/v1/keys/${key.key_id}/wrap`, { dek, context }));
    expect(await decrypt({ ...bundle, wrapped_key })).toBeProblem('decryption_failed');
    expect(await decrypt({ ...bundle, wrapped_key, context })).toBeProblem('decryption_failed');
  },
);
