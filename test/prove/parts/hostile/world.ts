import { lasting, scaled } from '../../trial.ts';
import { call, send } from '../../../faults/client.ts';
import { newDek } from '../../../faults/load.ts';
import { newKey, operate, type Operator, type Tenant } from '../../../faults/place.ts';
import { Cluster } from '../../machine/cluster.ts';
import { type ProbedServer, startProbed } from '../../machine/server.ts';

/** A tenant that has reached every limit, and a server with the probe. */
export interface World {
  readonly server: ProbedServer;
  readonly operator: Operator;
  readonly tenant: Tenant;
  /** A key with the maximum number of versions. */
  readonly versioned: string;
  /** A data key that is wrapped under the first version of this key. */
  readonly firstWrapped: string;
  /** A key with few versions. */
  readonly plain: string;
  /** Ids of many keys, for lists. */
  readonly keyIds: readonly string[];
}

/** Contexts of the largest allowed size: one whose value has only quotes, and one with as many names as possible. */
export const largestContexts = {
  quotes: { n: '"'.repeat(4_083) },
  names: Object.fromEntries(Array.from({ length: 340 }, (_, nth) => [`n${100 + nth}`, ''])),
} as const;

let made: Promise<World> | undefined;

/** Creates the tenant once per run. This takes a minute. */
export async function largeWorld(): Promise<World> {
  made ??= make();
  return made;
}

async function make(): Promise<World> {
  const cluster = await Cluster.create(lasting, { fsync: 'off', synchronous_commit: 'off' });
  const operator = await operate(cluster.url);
  lasting.defer(() => operator.close());
  const server = await startProbed(lasting, operator.env);
  const tenant = await operator.newTenant();
  const { token } = tenant;
  const created = await call(server, token, 'POST', '/v1/keys', { name: 'versioned', exportable: true });
  const versioned = String(created['key_id']);
  const wrapped = await call(server, token, 'POST', `/v1/keys/${versioned}/wrap`, { dek: newDek() });
  const plain = await newKey(server, token);
  await manyTimes(scaled(10_000) - 1, 8, () => send(server, token, 'POST', `/v1/keys/${versioned}/rotate`));
  const keyIds: string[] = [];
  await manyTimes(256, 8, async () => void keyIds.push(await newKey(server, token)));
  await manyTimes(scaled(100), 4, () => send(server, token, 'POST', '/v1/api-keys', largestApiKey(keyIds)));
  const items = largestItems(plain, 'quotes').slice(0, 180);
  await manyTimes(scaled(100), 1, () => send(server, token, 'POST', '/v1/batch/wrap', { items }));
  return {
    server,
    operator,
    tenant,
    versioned,
    firstWrapped: String(wrapped['wrapped_key']),
    plain,
    keyIds,
  };
}

/** Returns the items of a batch of wraps: as many as fit into a body, each with the largest context. */
export function largestItems(keyId: string, shape: keyof typeof largestContexts): object[] {
  const context = largestContexts[shape];
  const item = { key_id: keyId, dek: newDek(), context };
  const fit = Math.floor((8 * 1024 * 1024 - 20) / (Buffer.byteLength(JSON.stringify(item)) + 1));
  return Array.from({ length: Math.min(1_000, fit) }, () => item);
}

/** Returns the body of a request for an API key with the longest allowed lists. */
export function largestApiKey(keyIds: readonly string[]): object {
  return {
    name: '😀'.repeat(128),
    permissions: ['encrypt', 'decrypt', 'keys.read'],
    key_ids: keyIds,
    allowed_origins: Array.from({ length: 32 }, (_, nth) => longOrigin(nth)),
    expires_at: '2099-12-31T23:59:59.999Z',
  };
}

/** Returns an origin of 256 bytes. */
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
