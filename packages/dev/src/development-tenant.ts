// Creates what an app needs in development: a tenant, a key, an index key and an API key. Each is recorded as soon as it exists,
// so that an interrupted start goes on.
import { hash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fromBase64, toBase64 } from '@eaas/protocol/internal-base64';
import { formatIndexKey, indexKeyContext, using } from '@eaas/protocol/internal';
import { formatTimestamp, isApiKey, type Permission, permissions } from '@eaas/protocol/wire';
import {
  CannotStart,
  type ConsoleSession,
  createTenant,
  ifExists,
  insider,
  listTenants,
  operations,
  Refusal,
  replaceFile,
  type Service,
} from '@eaas/server/internal';

const tenantName = 'dev';
const day = 24 * 60 * 60_000;

const ofApplications: Permission[] = ['encrypt', 'decrypt'];

export interface DevelopmentTenant {
  readonly tenant_id: string;
  readonly key_id: string;
  readonly index_key: string;
}

interface Recorded extends Partial<DevelopmentTenant> {
  readonly has_api_key?: true;
}

export async function openDevelopmentTenant(
  service: Service,
  file: string,
): Promise<{ tenant: DevelopmentTenant; apiKey: string | null }> {
  let recorded = await readRecord(file);
  const { tenant_id: known } = recorded;
  const tenants = await listTenants(service);
  if (known && !tenants.some(({ tenant }) => tenant.tenant_id === known)) recorded = {};
  const record = async (more: Recorded): Promise<void> => {
    recorded = { ...recorded, ...more };
    await replaceFile(file, `${JSON.stringify(recorded)}\n`);
  };
  const tenant_id = recorded.tenant_id ?? (await createOwnTenant(service));
  await record({ tenant_id });
  const key_id =
    recorded.key_id ??
    (await operations['POST /v1/keys'](service, insider(tenant_id, 'operator'), { name: 'app' })).key_id;
  await record({ key_id });
  const index_key = recorded.index_key ?? (await createIndexKey(service, tenant_id, key_id));
  await record({ index_key });
  const tenant = { tenant_id, key_id, index_key };
  if (recorded.has_api_key) return { tenant, apiKey: null };
  const apiKey = await createApplicationApiKey(service, tenant);
  await record({ has_api_key: true });
  return { tenant, apiKey };
}

export async function isApiKeyOf(
  service: Service,
  tenant: DevelopmentTenant,
  token: string | undefined,
): Promise<boolean> {
  if (token === undefined || !isApiKey(token)) return false;
  const owned = await service.tokens.find(hash('sha256', token, 'hex'));
  if (owned?.tenantId !== tenant.tenant_id) return false;
  const { revoked_at, expires_at } = await operations['GET /v1/api-keys/:api_key_id'](
    service,
    insider(tenant.tenant_id, 'operator'),
    { api_key_id: owned.id },
  );
  const isExpired = expires_at !== null && Date.parse(expires_at) <= service.ledger.clock.now();
  return revoked_at === null && !isExpired;
}

export async function createApplicationApiKey(service: Service, tenant: DevelopmentTenant): Promise<string> {
  const input = { name: 'app', permissions: ofApplications };
  return (await operations['POST /v1/api-keys'](service, insider(tenant.tenant_id, 'operator'), input))
    .api_key;
}

/** Creates an API key for one sign-in to the console. It has every permission, so that every page works. */
export async function openSession(
  service: Service,
  { tenant_id }: Pick<DevelopmentTenant, 'tenant_id'>,
  ipAddress: string | null,
): Promise<ConsoleSession> {
  const now = service.ledger.clock.now();
  const expires_at = formatTimestamp(now + day);
  const operator = { ...insider(tenant_id, 'operator'), ipAddress };
  // The name has the time, because each sign-in creates another API key.
  const name = `console ${formatTimestamp(now).slice(0, 19).replace('T', ' ')} UTC`;
  const { api_key } = await operations['POST /v1/api-keys'](service, operator, {
    name,
    permissions: [...permissions],
    expires_at,
  });
  return { api_key, expires_at, tenant: tenantName };
}

async function createOwnTenant(service: Service): Promise<string> {
  try {
    return (await createTenant(service, { name: tenantName })).tenant_id;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'name_taken') throw error;
    throw new CannotStart(
      `\`eaas dev\` needs the name "${tenantName}" for a new tenant, but another tenant already has this name. ` +
        `Rename the other tenant with \`eaas tenant set ${tenantName} --name …\`, or set EAAS_DATA_DIR to another directory.`,
    );
  }
}

async function createIndexKey(service: Service, tenantId: string, keyId: string): Promise<string> {
  const dek = using(randomBytes(32), toBase64);
  const input = { key_id: keyId, dek, context: indexKeyContext };
  const { wrapped_key, key_version } = await operations['POST /v1/keys/:key_id/wrap'](
    service,
    insider(tenantId, 'operator'),
    input,
  );
  return formatIndexKey({ keyId, keyVersion: key_version, wrappedKey: fromBase64(wrapped_key) });
}

async function readRecord(file: string): Promise<Recorded> {
  try {
    return JSON.parse((await ifExists(readFile(file, 'utf8'))) ?? '{}') as Recorded;
  } catch (error) {
    const message = `The file ${file}, which records the tenant of \`eaas dev\`, cannot be read: restore the file from a backup.`;
    throw new CannotStart(message, { cause: error });
  }
}
