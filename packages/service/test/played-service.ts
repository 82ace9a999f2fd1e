// A service in memory with all plugins, and the operator's commands: what the conformance files meet instead of a server.
import { createPublicKey, type JsonWebKey, randomBytes, verify } from 'node:crypto';
import { parseArgs } from 'node:util';
import { nextTurn } from '@eaas/protocol/internal';
import { type Permission, permissions as all } from '@eaas/protocol/wire';
import { memoryStore, respond } from '@eaas/local/internal';
import { rootKey } from '../src/crypto/tenant-secrets.ts';
import { put } from '../src/ledger/table.ts';
import { type TenantRow, tenants, uses } from '../src/ledger/tables.ts';
import { run, settle } from '../src/operate.ts';
import { insider } from '../src/operation.ts';
import { changeTenant, newTenant, tenantRecord } from '../src/operations/tenants.ts';
import { intake } from '../src/plugins/intake/index.ts';
import { issuers } from '../src/plugins/issuers/index.ts';
import { people } from '../src/plugins/people/index.ts';
import { createService } from '../src/service.ts';

const text = { type: 'string' } as const;
const options = {
  json: { type: 'boolean' },
  name: text,
  tenant: text,
  permissions: text,
  confirm: text,
  'created-at': text,
  'envelope-only': text,
  'monthly-encrypt-quota': text,
} as const;

export function playService(baseUrl: string) {
  const failures: unknown[] = [];
  const store = memoryStore({ now: Date.now });
  const roots = [rootKey(randomBytes(32))] as const;
  const keyHostFault = () => 'names a host, but this service fetches no keys: send `jwks`';
  const service = createService({
    store,
    roots,
    patience: 600_000,
    plugins: [people(), issuers({ verify: hasSigned, keyHostFault }), intake()],
    listener: {
      failed: (error) => failures.push(error),
      used: (tenant_id, api_key_id) => {
        const last_used_at = Math.floor(Date.now() / 60_000) * 60_000;
        store.set(tenant_id, put(uses, { tenant_id, api_key_id, last_used_at }));
      },
    },
  });
  const tenantRows = () =>
    Array.from(store.tenants.values(), (tenant) => {
      const [stored] = tenant.tables.get(tenants.name)?.values() ?? [];
      return stored?.row as TenantRow;
    });

  async function operate(args: readonly string[]): Promise<object | readonly object[]> {
    const { positionals, values } = parseArgs({ args: [...args], allowPositionals: true, options });
    const verb = positionals.slice(0, 2).join(' ');
    const { name = '', 'envelope-only': mode, 'monthly-encrypt-quota': quota, 'created-at': at } = values;
    const fields = {
      ...(mode !== undefined && { envelope_only: mode === 'true' }),
      ...(quota !== undefined && { monthly_encrypt_quota: quota === 'null' ? null : Number(quota) }),
      ...(at !== undefined && { created_at: Date.parse(at) }),
    };
    if (verb === 'tenant create') {
      const { record, head, writes } = newTenant(roots, { ...fields, name }, Date.now());
      await store.create(head, writes);
      return record;
    }
    if (verb === 'tenant list') return tenantRows().map(tenantRecord);
    const named = values.tenant ?? positionals[2];
    const row = tenantRows().find((one) => one.tenant_id === named || one.name === named);
    if (!row) throw new Error(`no tenant ${named}`);
    const operator = insider(row.tenant_id, 'operator');
    if (verb === 'tenant show') return tenantRecord(row);
    if (verb === 'tenant set') return (await settle(service, operator, changeTenant(fields))).answer;
    if (verb === 'tenant destroy') {
      store.tenants.delete(row.tenant_id);
      return { tenant_id: row.tenant_id };
    }
    const route = { 'api-key create': 'POST /v1/api-keys', 'audit verify': 'GET /v1/audit/verify' } as const;
    const permissions = values.permissions === 'all' ? [...all] : values.permissions?.split(',');
    const input = permissions ? { name, permissions: permissions as Permission[] } : {};
    return (await run(service, operator, route[verb as keyof typeof route], input as never)).answer;
  }

  return {
    baseUrl,
    failures,
    service,
    store,
    fetch: async (input: RequestInfo | URL, init?: RequestInit) => {
      // Without it, calls in a loop would let no timer fire.
      await nextTurn();
      return respond({ service, ipAddress: '192.0.2.7' }, new Request(input, init));
    },
    run: async (args: readonly string[]) => {
      const lines = [await operate(args)].flat().map((line) => `${JSON.stringify(line)}\n`);
      return { code: 0, stdout: lines.join(''), stderr: '' };
    },
  };
}

export async function hasSigned(token: string, jwk: JsonWebKey, alg: string): Promise<boolean> {
  const [header, claims, signature = ''] = token.split('.');
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const padding = alg === 'PS256' ? { padding: 6, saltLength: 32 } : {}; // RSA_PKCS1_PSS_PADDING
  const hash = alg.startsWith('Ed') ? null : 'sha256';
  const how = { key, dsaEncoding: 'ieee-p1363', ...padding } as const;
  return verify(hash, Buffer.from(`${header}.${claims}`), how, Buffer.from(signature, 'base64url'));
}
