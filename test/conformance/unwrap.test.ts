import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { covers } from './covers.ts';
import {
  bring,
  expectNothingRecorded,
  type KeyRecord,
  newDek,
  newestEntry,
  newTenant,
  ok,
  type Tenant,
  unknownId,
  wrapped,
} from './fixture.ts';
import { auditEntry } from './shapes.ts';

let tenant: Tenant;
let key: KeyRecord;

beforeAll(async () => {
  tenant = await newTenant('--envelope-only', 'true');
  key = await tenant.newKey();
});

const unwrap = (body: object, keyId = key.key_id) => tenant.api.post(`/v1/keys/${keyId}/unwrap`, body);

test(
  'gives back the DEK that was wrapped, with key_id and key_version',
  covers(
    "contract: POST /v1/keys/:id/unwrap: `wrapped_key`, `key_version`? (another than the wrapped key's: 403), `context`? → `dek`, `key_id`, `key_version`.",
    'interface: Envelope mode: the caller encrypts locally, using keys wrapped and unwrapped by the service.',
  ),
  async () => {
    for (const dek of [
      newDek(),
      Buffer.alloc(32).toString('base64'),
      Buffer.alloc(32, 0xff).toString('base64'),
    ]) {
      const { wrapped_key } = ok(await tenant.api.post(`/v1/keys/${key.key_id}/wrap`, { dek }));
      const answer = await unwrap({ wrapped_key, key_version: 1 });
      expect(answer).toHaveStatus(200);
      expect(answer.body).toStrictEqual({ dek, key_id: key.key_id, key_version: 1 });
      expect((await unwrap({ wrapped_key })).body).toStrictEqual(answer.body);
    }
  },
);

test(
  'its answer is not to be stored on its way',
  covers('contract: Answers that carry secrets say `Cache-Control: no-store`.'),
  async () => {
    const answer = await unwrap({ wrapped_key: await wrapped(tenant.api, key.key_id) });
    expect(answer.headers.get('cache-control')).toBe('no-store');
  },
);

test(
  'opens what older versions wrapped',
  covers('interface: Has an integer key_version that grows with rotation.'),
  async () => {
    const { key_id } = await tenant.newKey();
    const first = await wrapped(tenant.api, key_id);
    ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
    const second = await wrapped(tenant.api, key_id);
    expect(ok(await unwrap({ wrapped_key: first }, key_id)).key_version).toBe(1);
    expect(ok(await unwrap({ wrapped_key: second }, key_id)).key_version).toBe(2);
  },
);

test(
  'is recorded, with the key_version in the metadata',
  covers(
    'interface: wrap / unwrap a key: key.wrap / key.unwrap',
    'interface: metadata carries at least key_version for key.unwrap.',
    "contract: Every `key.unwrap` entry has `metadata.key_version` (the version that the wrapped_key claims, else the key's current one).",
    'interface: Unwrap returns the key only if its entry has been written.',
  ),
  async () => {
    const { key_id } = await tenant.newKey();
    const wrapped_key = await wrapped(tenant.api, key_id);
    ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
    const { dek } = ok(await unwrap({ wrapped_key }, key_id));
    const entry = await newestEntry(tenant);
    expect(entry).toStrictEqual(
      auditEntry({ action: 'key.unwrap', key_id, key_version: 1, actor: tenant.apiKeyId }),
    );
    expect(entry.metadata).toMatchObject({ key_version: 1 });
    expect(JSON.stringify(entry)).not.toContain(dek);
  },
);

describe('a wrapped_key that cannot be authenticated for the key is 403, and recorded', () => {
  const flipped = (text: string, at: number): string => {
    const bytes = Buffer.from(text, 'base64');
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    return bytes.toString('base64');
  };
  const forged: [string, (genuine: string) => string | Promise<string>, number][] = [
    ['another format', (text) => flipped(text, 0), 1],
    ['another suite', (text) => flipped(text, 1), 1],
    ['an altered version', (text) => flipped(text, 5), 0],
    ['an altered salt', (text) => flipped(text, 6), 1],
    ['altered contents', (text) => flipped(text, 30), 1],
    ['an altered tag', (text) => flipped(text, 77), 1],
    ['random bytes of the right length', () => `AQEAAAAB${randomBytes(72).toString('base64')}`, 1],
    ['that of another key', async () => wrapped(tenant.api, (await tenant.newKey()).key_id), 1],
    ['one wrapped with a context', async () => wrapped(tenant.api, key.key_id, { a: 'b' }), 1],
  ];
  test.for(forged)(
    '%s',
    covers(
      'interface: A wrapped_key that cannot be authenticated for the key gives 403.',
      'interface: 403 Forbidden: wrapped_key not authenticable for this key',
      'contract: Recorded refusals, with `metadata.outcome: "refused"` and `metadata.code`: unwrap 403 and 409, decrypt 409 and 422, rewrap 403 (as `key.wrap`).',
      "contract: Every `key.unwrap` entry has `metadata.key_version` (the version that the wrapped_key claims, else the key's current one).",
      'envelope: Tenant, key, version and purpose are in the derivation: nothing sealed can be moved.',
    ),
    async ([, forge, claimed]) => {
      const wrapped_key = await forge(await wrapped(tenant.api, key.key_id));
      expect(await unwrap({ wrapped_key })).toBeProblem('wrapped_key_unauthentic');
      expect(await newestEntry(tenant)).toMatchObject({
        action: 'key.unwrap',
        key_id: key.key_id,
        actor: tenant.apiKeyId,
        metadata: { outcome: 'refused', code: 'wrapped_key_unauthentic', key_version: claimed },
      });
    },
  );

  test.for([1, 3, 77, 79, 80, 1_024])(
    'canonical base64 of a wrong length: %i bytes',
    covers(
      "contract: Base64 that isn't canonical, or empty, is 400 (on unwrap too, where canonical base64 of a wrong length is 403).",
    ),
    async (length) => {
      const wrapped_key = randomBytes(length).toString('base64');
      expect(await unwrap({ wrapped_key })).toBeProblem('wrapped_key_unauthentic');
      expect(await newestEntry(tenant)).toMatchObject({ metadata: { outcome: 'refused' } });
    },
  );

  test(
    'that of another tenant, under the same key id in its own path',
    covers('envelope: Tenant, key, version and purpose are in the derivation: nothing sealed can be moved.'),
    async () => {
      const other = await newTenant('--envelope-only', 'true');
      const foreign = await wrapped(other.api, (await other.newKey()).key_id);
      expect(await unwrap({ wrapped_key: foreign })).toBeProblem('wrapped_key_unauthentic');
    },
  );

  test.for([0, 2, -1, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER])(
    'with another key_version than its own: %d',
    covers(
      "contract: POST /v1/keys/:id/unwrap: `wrapped_key`, `key_version`? (another than the wrapped key's: 403), `context`? → `dek`, `key_id`, `key_version`.",
    ),
    async (key_version) => {
      const wrapped_key = await wrapped(tenant.api, key.key_id);
      expect(await unwrap({ wrapped_key, key_version })).toBeProblem('wrapped_key_unauthentic');
      expect(await newestEntry(tenant)).toMatchObject({ metadata: { outcome: 'refused', key_version: 1 } });
    },
  );

  test(
    'a wrapped_key too short to claim a version is recorded with the current one',
    covers(
      "contract: Every `key.unwrap` entry has `metadata.key_version` (the version that the wrapped_key claims, else the key's current one).",
    ),
    async () => {
      const { key_id } = await tenant.newKey();
      ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
      expect(await unwrap({ wrapped_key: 'AQE=' }, key_id)).toBeProblem('wrapped_key_unauthentic');
      expect((await newestEntry(tenant)).metadata).toMatchObject({ outcome: 'refused', key_version: 2 });
    },
  );
});

test(
  'the context must be the one that it was wrapped with',
  covers(
    "contract: POST /v1/keys/:id/unwrap: `wrapped_key`, `key_version`? (another than the wrapped key's: 403), `context`? → `dek`, `key_id`, `key_version`.",
    'contract: `context` is logged.',
  ),
  async () => {
    const context = { table: 'patients', column: 'name' };
    const wrapped_key = await wrapped(tenant.api, key.key_id, context);
    const same = await unwrap({ wrapped_key, context: { column: 'name', table: 'patients' } });
    expect(same).toHaveStatus(200);
    expect(JSON.stringify(await newestEntry(tenant))).toContain('patients');
    for (const other of [
      {},
      { table: 'patients' },
      { ...context, more: '' },
      { ...context, column: 'Name' },
    ]) {
      expect(await unwrap({ wrapped_key, context: other })).toBeProblem('wrapped_key_unauthentic');
    }
  },
);

test(
  'a disabled key still unwraps',
  covers('contract: disabled allows unwrap, decrypt, export, rotation policy and GET; the rest is 409.'),
  async () => {
    const { key_id } = await tenant.newKey();
    const wrapped_key = await wrapped(tenant.api, key_id);
    await bring(tenant.api, key_id, 'disabled');
    expect(await unwrap({ wrapped_key }, key_id)).toHaveStatus(200);
  },
);

test.for(['pending_destruction', 'destroyed'] as const)(
  'a key that is %s does not, and that is recorded',
  covers(
    'contract: pending_destruction allows only GET and restore (else 409).',
    'contract: destroyed allows only GET (else 409).',
    'contract: Recorded refusals, with `metadata.outcome: "refused"` and `metadata.code`: unwrap 403 and 409, decrypt 409 and 422, rewrap 403 (as `key.wrap`).',
  ),
  async (status) => {
    const { key_id } = await tenant.newKey();
    const wrapped_key = await wrapped(tenant.api, key_id);
    await bring(tenant.api, key_id, status);
    expect(await unwrap({ wrapped_key }, key_id)).toBeProblem('key_state');
    expect(await newestEntry(tenant)).toMatchObject({
      action: 'key.unwrap',
      key_id,
      metadata: { outcome: 'refused', code: 'key_state', key_version: 1 },
    });
  },
);

test.for(['', 'AAA', 'AAAA\n', 'AA-_', 'AB==', 'AA==AA=='])(
  'base64 that is not canonical, or empty, is 400: %j',
  covers(
    "contract: Base64 that isn't canonical, or empty, is 400 (on unwrap too, where canonical base64 of a wrong length is 403).",
    'interface: 400 Bad Request: non-conforming base64',
  ),
  async (wrapped_key) => {
    await expectNothingRecorded(tenant, async () => {
      expect(await unwrap({ wrapped_key })).toBeProblem('bad_request', /wrapped_key/);
    });
  },
);

test(
  'wrapped_key is required; an unknown key, or a name for one, is 404 and not recorded',
  covers(
    'contract: A missing field is named in `detail`.',
    'contract: Nothing else is recorded; refusals are never counted in usage.',
    'interface: 404 Not Found: key not found for this tenant (for instance a name given where the UUID is expected)',
  ),
  async () => {
    const wrapped_key = await wrapped(tenant.api, key.key_id);
    await expectNothingRecorded(tenant, async () => {
      expect(await unwrap({})).toBeProblem('bad_request', /wrapped_key/);
      expect(await unwrap({ wrapped_key }, unknownId())).toBeProblem('not_found');
      expect(await unwrap({ wrapped_key }, encodeURIComponent(key.name))).toBeProblem('not_found');
    });
  },
);
