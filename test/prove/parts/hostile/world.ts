import { limits } from '@eaas/protocol/wire';
import { lasting, scaled } from '../../trial.ts';
import { call, send } from '@eaas/test-kit/faults/client';
import { newDek } from '@eaas/test-kit/faults/load';
import { jwkOfBits } from '@eaas/test-kit/rsa';
import { newKey, operate, type Operator, type Tenant } from '@eaas/test-kit/faults/place';
import { startPostgres } from '../../machine/postgres.ts';
import { type ProbedServer, startProbed } from '../../machine/server.ts';

export interface World {
  readonly server: ProbedServer;
  readonly operator: Operator;
  readonly tenant: Tenant;
  readonly versioned: string;
  readonly plain: string;
  readonly keyIds: readonly string[];
}

export const largestContexts = {
  quotes: { n: '"'.repeat(4_083) },
  names: Object.fromEntries(Array.from({ length: 340 }, (_, nth) => [`n${100 + nth}`, ''])),
} as const;

let made: Promise<World> | undefined;

export async function largeWorld(): Promise<World> {
  made ??= make();
  return made;
}

async function make(): Promise<World> {
  const database = await startPostgres(lasting, false);
  const operator = await operate(database.url);
  lasting.defer(() => operator.close());
  const server = await startProbed(lasting, operator.env);
  const tenant = await operator.newTenant();
  const { token } = tenant;
  const created = await call(server, token, 'POST', '/v1/keys', { name: 'versioned', exportable: true });
  const versioned = String(created['key_id']);
  const plain = await newKey(server, token);
  await manyTimes(scaled(10_000) - 1, 8, () => send(server, token, 'POST', `/v1/keys/${versioned}/rotate`));
  const keyIds: string[] = [];
  await manyTimes(256, 8, async () => void keyIds.push(await newKey(server, token)));
  await manyTimes(scaled(100), 4, () => send(server, token, 'POST', '/v1/api-keys', largestApiKey(keyIds)));
  await manyTimes(scaled(100), 1, () => issuerOf({ server, tenant, keyIds }));
  const items = largestItems(plain, 'quotes').slice(0, 180);
  await manyTimes(scaled(100), 1, () => send(server, token, 'POST', '/v1/batch/wrap', { items }));
  return {
    server,
    operator,
    tenant,
    versioned,
    plain,
    keyIds,
  };
}

export function largestItems(keyId: string, shape: keyof typeof largestContexts): object[] {
  const context = largestContexts[shape];
  return fitting({ key_id: keyId, dek: newDek(), context });
}

/** Returns a batch of as many equal items as fit into a body: by their number, their bytes and their values. */
function fitting(item: object): object[] {
  const text = JSON.stringify(item);
  const byBytes = (limits.body - 20) / (Buffer.byteLength(text) + 1);
  const byValues = (limits.jsonValues - 10) / valuesIn(item);
  return Array.from({ length: Math.floor(Math.min(limits.batchItems, byBytes, byValues)) }, () => item);
}

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, each) => sum + valuesIn(each), 1);
}

function largestApiKey(keyIds: readonly string[]): object {
  return {
    name: '😀'.repeat(128),
    permissions: ['encrypt', 'decrypt', 'keys.read'],
    key_ids: keyIds,
    allowed_origins: Array.from({ length: 32 }, (_, nth) => longOrigin(nth)),
    expires_at: '2099-12-31T23:59:59.999Z',
  };
}

let issuers = 0;

/** The keys and claims have nearly 16 KiB. */
function largestIssuer(keyIds: readonly string[]) {
  const claims = Array.from({ length: 16 }, (_, claim) => [`${claim}`.padEnd(256, 'x'), ['x']]);
  return {
    name: '😀'.repeat(128),
    issuer: 'i'.repeat(256),
    audience: 'a'.repeat(256),
    jwks: { keys: Array.from({ length: 16 }, () => jwkOfBits(4_096)) },
    permissions: ['encrypt', 'decrypt'],
    key_ids: keyIds,
    allowed_origins: Array.from({ length: 32 }, (_, nth) => longOrigin(nth)),
    require: Object.fromEntries(claims) as object,
    subject_prefix: `${issuers++}:`,
  };
}

/** Creates an issuer, and revokes it at once: a tenant has at most 32 others. */
async function issuerOf({
  server,
  tenant,
  keyIds,
}: Pick<World, 'server' | 'tenant' | 'keyIds'>): Promise<string> {
  const made = await call(server, tenant.token, 'POST', '/v1/issuers', largestIssuer(keyIds));
  const id = String(made['issuer_id']);
  await call(server, tenant.token, 'DELETE', `/v1/issuers/${id}`);
  return id;
}

function longOrigin(nth: number): string {
  const labels = `${String(100 + nth)}${'a'.repeat(57)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}`;
  return `https://${labels}.ee`.slice(0, 256);
}

async function manyTimes(times: number, workers: number, work: () => Promise<unknown>): Promise<void> {
  let left = times;
  const one = async (): Promise<void> => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: workers }, one));
}
