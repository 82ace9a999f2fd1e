import { beforeAll, expect, test } from 'vitest';
import { covers } from './covers.ts';
import {
  expectNothingRecorded,
  type KeyRecord,
  keyIn,
  newTenant,
  ok,
  type Tenant,
  unknownId,
} from './fixture.ts';
import { aHash } from './shapes.ts';

let tenant: Tenant;
let key: KeyRecord;

beforeAll(async () => {
  tenant = await newTenant();
  key = await tenant.newKey();
});

const hash = (value: unknown, key_id: unknown = key.key_id) => tenant.api.post('/v1/hash', { value, key_id });
const hashOf = async (value: string, key_id?: string) => ok(await hash(value, key_id)).hash;

test(
  'answers a fingerprint of 64 lower-case hex digits and the key_id',
  covers(
    'interface: Response 200: hash, key_id.',
    'interface: Hash result: hash (hexadecimal digest), key_id (UUID).',
    "contract: HMAC-SHA-256 under a hash key of the key's own, made with the key and independent of its versions; 64 lower-case hex characters.",
  ),
  async () => {
    const answer = await hash('alice@example.org');
    expect(answer).toHaveStatus(200);
    expect(answer.body).toStrictEqual({ hash: aHash, key_id: key.key_id });
  },
);

test(
  'is the same for the same value and key, and another for another value or key',
  covers(
    'interface: The same value and key always give the same hash.',
    'interface: Deterministic hash: a key-bound fingerprint that makes an encrypted field searchable without decrypting it.',
    'interface: Computes a deterministic fingerprint bound to the key. Open in both tenant modes.',
  ),
  async () => {
    const other = await tenant.newKey();
    const first = await hashOf('x');
    expect(await hashOf('x')).toBe(first);
    expect(await hashOf('x', key.key_id.toUpperCase())).toBe(first);
    expect(await hashOf('x', other.key_id)).not.toBe(first);
    expect(await hashOf('X')).not.toBe(first);
  },
);

test(
  'takes every character as data: no two values hash alike',
  covers(
    'contract: In `plaintext` and `value` every character is data, NUL and a leading U+FEFF too, and so is the empty string.',
  ),
  async () => {
    const values = [
      '',
      '\u0000',
      '\u0000\u0000',
      ' ',
      'a',
      'a ',
      '\uFEFFa',
      'a\u0000',
      'é',
      'e\u0301',
      '\uFFFD',
    ];
    const hashes = await Promise.all(values.map((value) => hashOf(value)));
    expect(new Set(hashes).size).toBe(values.length);
  },
);

test(
  'rotating the key does not change it',
  covers('interface: Rotating the key does not change hashes already computed.'),
  async () => {
    const { key_id } = await tenant.newKey();
    const before = await hashOf('x', key_id);
    ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
    ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
    expect(await hashOf('x', key_id)).toBe(before);
  },
);

test(
  'disabling and enabling the key does not change it either',
  covers('interface: The same value and key always give the same hash.'),
  async () => {
    const { key_id } = await tenant.newKey();
    const before = await hashOf('x', key_id);
    ok(await tenant.api.post(`/v1/keys/${key_id}/disable`));
    ok(await tenant.api.post(`/v1/keys/${key_id}/enable`));
    expect(await hashOf('x', key_id)).toBe(before);
  },
);

test.for(['disabled', 'pending_destruction', 'destroyed'] as const)(
  'a key that is %s hashes nothing',
  covers(
    'interface: A disabled key makes POST /v1/hash fail with 409.',
    'interface: A disabled key gives 409 Conflict on hash.',
    'contract: For hash, a disabled key is refused at once.',
  ),
  async (status) => {
    const { key_id } = await keyIn(tenant, status);
    expect(await hash('x', key_id)).toBeProblem('key_state');
  },
);

test(
  'is refused in the request after the one that disabled the key, every time',
  covers(
    'contract: For hash, a disabled key is refused at once.',
    'contract: A request received after a change was acknowledged sees it.',
  ),
  async () => {
    const { key_id } = await tenant.newKey();
    for (let round = 0; round < 20; round++) {
      expect(await hash('x', key_id)).toHaveStatus(200);
      ok(await tenant.api.post(`/v1/keys/${key_id}/disable`));
      expect(await hash('x', key_id)).toBeProblem('key_state');
      ok(await tenant.api.post(`/v1/keys/${key_id}/enable`));
    }
  },
);

test(
  'is neither recorded nor counted',
  covers('contract: Hash is not in the audit log, nor in usage.'),
  async () => {
    const usage = ok(await tenant.api.get('/v1/usage'));
    await expectNothingRecorded(tenant, async () => {
      await hashOf('x');
      ok(await tenant.api.post('/v1/batch/hash', { items: [{ key_id: key.key_id, value: 'x' }] }));
    });
    expect(ok(await tenant.api.get('/v1/usage')).operations).toStrictEqual(usage.operations);
  },
);

test(
  'works on an envelope-only tenant',
  covers('interface: Computes a deterministic fingerprint bound to the key. Open in both tenant modes.'),
  async () => {
    const closed = await newTenant('--envelope-only', 'true');
    const { key_id } = await closed.newKey();
    const answer = await closed.api.post('/v1/hash', { value: 'x', key_id });
    expect(answer.body).toStrictEqual({ hash: aHash, key_id });
  },
);

test(
  'takes 65,536 bytes and not one more',
  covers('contract: Sizes count UTF-8 bytes. `plaintext` and `value`: 65,536 accepted, 65,537 is 400.'),
  async () => {
    expect(await hash('a'.repeat(65_536))).toHaveStatus(200);
    expect(await hash('a'.repeat(65_537))).toBeProblem('bad_request', /value/);
    expect(await hash('é'.repeat(32_768))).toHaveStatus(200);
    expect(await hash(`${'é'.repeat(32_768)}a`)).toBeProblem('bad_request', /value/);
  },
);

test(
  'value and key_id are required strings, and key_id the id of a key',
  covers('interface: value: string, required; key_id: string, required, UUID of the key.'),
  async () => {
    expect(await tenant.api.post('/v1/hash', { key_id: key.key_id })).toBeProblem('bad_request', /value/);
    expect(await tenant.api.post('/v1/hash', { value: 'x' })).toBeProblem('bad_request', /key_id/);
    for (const value of [null, 1, true, [], {}]) {
      expect(await hash(value)).toBeProblem('bad_request', /value/);
    }
    for (const key_id of [key.name, unknownId(), '']) {
      expect(await hash('x', key_id)).toBeProblem('not_found');
    }
  },
);

test(
  'needs the permission encrypt, and that alone',
  covers(
    'interface: Required permission of hash: encrypt.',
    'interface: A key without the permission required gives 403. POST /v1/hash requires the permission encrypt.',
    'interface: It carries permissions (for example encrypt).',
  ),
  async () => {
    const body = { value: 'x', key_id: key.key_id };
    const encrypting = await tenant.issue({ permissions: ['encrypt'] });
    const decrypting = await tenant.issue({ permissions: ['decrypt', 'keys.read', 'audit.read'] });
    expect(await encrypting.api.post('/v1/hash', body)).toHaveStatus(200);
    expect(await decrypting.api.post('/v1/hash', body)).toBeProblem('permission_missing');
  },
);
