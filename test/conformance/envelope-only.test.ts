import { beforeAll, expect, test } from 'vitest';
import { asJson } from './client.ts';
import { covers } from './covers.ts';
import { newestEntry, newTenant, ok, type Tenant } from './fixture.ts';
import { auditEntry } from './shapes.ts';

let tenant: Tenant;
let keyId: string;

beforeAll(async () => {
  tenant = await newTenant('--envelope-only', 'true');
  keyId = (await tenant.newKey()).key_id;
});

test.for(['/v1/encrypt', '/v1/decrypt'] as const)(
  '%s is refused with E_ENVELOPE_ONLY, and that is logged first',
  covers(
    'interface: Encrypt is refused with 403 E_ENVELOPE_ONLY on envelope-only tenants.',
    'interface: Decrypt is refused with 403 E_ENVELOPE_ONLY on envelope-only tenants.',
    'interface: envelope_only true means /v1/encrypt and /v1/decrypt answer 403 (E_ENVELOPE_ONLY); false means they work.',
    'interface: Envelope-only tenants get 403 E_ENVELOPE_ONLY on encrypt and decrypt, and the refusal is logged as envelope_only.refused.',
    'interface: For the envelope refusal, detail starts with the code E_ENVELOPE_ONLY followed by a colon.',
    'interface: 403 Forbidden (E_ENVELOPE_ONLY): tenant in envelope mode; encrypt and decrypt refused',
    'interface: refused encrypt or decrypt on an envelope-only tenant: envelope_only.refused',
    "contract: An envelope-only tenant's 403 writes `envelope_only.refused` first (key_id and key_version null: the body is not read).",
  ),
  async (path) => {
    const before = await tenant.auditTotal();
    const body = { plaintext: 'x', key_id: keyId, ciphertext: 'AAAA', key_version: 1 };
    expect(await tenant.api.post(path, body)).toBeProblem('envelope_only', /^E_ENVELOPE_ONLY:/);
    expect(await tenant.api.send('POST', path, 'not JSON', asJson)).toBeProblem('envelope_only');
    expect(await tenant.auditTotal()).toBe(before + 2);
    expect(await newestEntry(tenant)).toStrictEqual(
      auditEntry({
        action: 'envelope_only.refused',
        key_id: null,
        key_version: null,
        actor: tenant.apiKeyId,
        tenant_id: tenant.tenant_id,
      }),
    );
  },
);

test(
  'is counted in no operation',
  covers('contract: Nothing else is recorded; refusals are never counted in usage.'),
  async () => {
    const own = await newTenant('--envelope-only', 'true');
    expect(await own.api.post('/v1/encrypt', {})).toBeProblem('envelope_only');
    const { operations } = ok(await own.api.get('/v1/usage'));
    expect(operations).toStrictEqual({ encrypt: 0, decrypt: 0, 'key.wrap': 0, 'key.unwrap': 0 });
  },
);

test(
  'the setting holds from the moment it was acknowledged, each way',
  covers(
    'contract: A request received after a change was acknowledged sees it.',
    'interface: envelope_only true means /v1/encrypt and /v1/decrypt answer 403 (E_ENVELOPE_ONLY); false means they work.',
    "contract: Operator changes are audited in the tenant's chain, actor `operator`.",
    "contract: Actions beyond the interface's list, complete: `key.enable`, `key.restore`, `tenant.update`.",
  ),
  async () => {
    const own = await newTenant();
    const { key_id } = await own.newKey();
    const encrypt = () => own.api.post('/v1/encrypt', { plaintext: 'x', key_id });
    expect(await encrypt()).toHaveStatus(200);
    expect(await own.set('--envelope-only', 'true')).toMatchObject({ envelope_only: true });
    expect(await encrypt()).toBeProblem('envelope_only');
    await own.set('--envelope-only', 'false');
    expect(await encrypt()).toHaveStatus(200);
    const updates = await own.entries('action=tenant.update');
    const change = auditEntry({
      action: 'tenant.update',
      key_id: null,
      key_version: null,
      actor: 'operator',
      ip_address: null,
    });
    expect(updates).toStrictEqual([change, change]);
  },
);
