// Each right that a tenant can take away, crossed with each call that would need it: a service that goes on honouring it writes an
// entry that the verification finds. The calls come from the list of the log's actions, so that no new action stands outside.
import { randomBytes } from 'node:crypto';
import type { MemoryTenant } from '@eaas/local/internal';
import { effectOf } from '@eaas/protocol/internal-log';
import {
  type AuditAction,
  auditActions,
  endpoints,
  formatTimestamp,
  type Input,
  type Output,
  permissions,
  type Route,
} from '@eaas/protocol/wire';
import { newIssuer } from '@eaas/test-kit/calls';
import { jwkOfBits } from '@eaas/test-kit/rsa';
import { beforeEach, describe, expect, test } from 'vitest';
import { openTenant } from '../../test/open-tenant.ts';
import { blocks } from '../ledger/blocks.ts';
import { entries } from '../ledger/tables.ts';
import { run, settle } from '../operate.ts';
import { insider } from '../operation.ts';
import { changeTenant } from '../operations/tenants.ts';
import { issuers } from '../plugins/issuers/index.ts';
import { people } from '../plugins/people/index.ts';
import { verifyTenant } from './verify.ts';

type Ask = <R extends Route>(route: R, input: Input<R>, actor?: string) => Promise<Output<R>>;

const hour = 3_600_000;
const start = Date.parse('2026-03-01T00:00:00Z');
let time = start;
const plugins = () => [people(), issuers({ verify: async () => true, keyHostFault: () => undefined })];
const {
  store,
  tenantId,
  service,
  operator,
  start: newReplica,
  call,
} = await openTenant({ now: () => time }, plugins);

const dek = randomBytes(32).toString('base64');
const subject = 'ada';
const { key_id } = await call('POST /v1/keys', { name: 'key', exportable: true });
const { key_id: other } = await call('POST /v1/keys', { name: 'other' });
const { api_key_id } = await call('POST /v1/api-keys', { name: 'actor', permissions: [...permissions] });
const { api_key_id: changed } = await call('POST /v1/api-keys', {
  name: 'changed',
  permissions: ['encrypt'],
});
const { issuer_id } = await call('POST /v1/issuers', newIssuer(key_id) as Input<'POST /v1/issuers'>);
const { wrapped_key } = await call('POST /v1/keys/:key_id/wrap', { key_id, dek });
const ofAda = await call('POST /v1/keys/:key_id/wrap', { key_id, dek, subject });
const bundle = await call('POST /v1/encrypt', { key_id, plaintext: 'x' });
const bundleOfAda = await call('POST /v1/encrypt', { key_id, plaintext: 'x', subject });
await call('POST /v1/keys/:key_id/rotate', { key_id });

/** A call that writes an entry of an action. */
interface Use {
  readonly action: AuditAction;
  readonly by: (ask: Ask, actor?: string) => Promise<unknown>;
  /** The state in which the key must be before. It is active otherwise. */
  readonly of?: 'disabled' | 'pending';
  readonly isForPerson?: true;
  readonly opensOldVersion?: true;
}

const item = { key_id, wrapped_key };
const uses: Readonly<Record<string, Use>> = {
  wrap: { action: 'key.wrap', by: (ask, actor) => ask('POST /v1/keys/:key_id/wrap', { key_id, dek }, actor) },
  'wrap for a person': {
    action: 'key.wrap',
    isForPerson: true,
    by: (ask, actor) => ask('POST /v1/keys/:key_id/wrap', { key_id, dek, subject }, actor),
  },
  unwrap: {
    action: 'key.unwrap',
    opensOldVersion: true,
    by: (ask, actor) => ask('POST /v1/keys/:key_id/unwrap', item, actor),
  },
  'unwrap for a person': {
    action: 'key.unwrap',
    opensOldVersion: true,
    isForPerson: true,
    by: (ask, actor) => ask('POST /v1/keys/:key_id/unwrap', { ...ofAda, key_id, subject }, actor),
  },
  rewrap: {
    action: 'key.wrap',
    opensOldVersion: true,
    by: (ask, actor) => ask('POST /v1/keys/:key_id/rewrap', item, actor),
  },
  'rewrap for a person': {
    action: 'key.wrap',
    opensOldVersion: true,
    isForPerson: true,
    by: (ask, actor) => ask('POST /v1/keys/:key_id/rewrap', { ...ofAda, key_id, subject }, actor),
  },
  'a batch of wraps': {
    action: 'key.wrap',
    by: (ask, actor) => ask('POST /v1/batch/wrap', { items: [{ key_id, dek }] }, actor),
  },
  'a batch of unwraps': {
    action: 'key.unwrap',
    opensOldVersion: true,
    by: (ask, actor) => ask('POST /v1/batch/unwrap', { items: [item] }, actor),
  },
  'a batch of rewraps': {
    action: 'key.wrap',
    opensOldVersion: true,
    by: (ask, actor) => ask('POST /v1/batch/rewrap', { items: [item] }, actor),
  },
  encrypt: {
    action: 'encrypt',
    by: (ask, actor) => ask('POST /v1/encrypt', { key_id, plaintext: 'x' }, actor),
  },
  'encrypt for a person': {
    action: 'encrypt',
    isForPerson: true,
    by: (ask, actor) => ask('POST /v1/encrypt', { key_id, plaintext: 'x', subject }, actor),
  },
  decrypt: {
    action: 'decrypt',
    opensOldVersion: true,
    by: (ask, actor) => ask('POST /v1/decrypt', bundle, actor),
  },
  'decrypt for a person': {
    action: 'decrypt',
    opensOldVersion: true,
    isForPerson: true,
    by: (ask, actor) => ask('POST /v1/decrypt', { ...bundleOfAda, subject }, actor),
  },
  'a new key': {
    action: 'key.create',
    by: (ask, actor) => ask('POST /v1/keys', { name: 'new' }, actor),
  },
  rotate: {
    action: 'key.rotate',
    by: (ask, actor) => ask('POST /v1/keys/:key_id/rotate', { key_id }, actor),
  },
  disable: {
    action: 'key.disable',
    by: (ask, actor) => ask('POST /v1/keys/:key_id/disable', { key_id }, actor),
  },
  enable: {
    action: 'key.enable',
    of: 'disabled',
    by: (ask, actor) => ask('POST /v1/keys/:key_id/enable', { key_id }, actor),
  },
  destroy: {
    action: 'key.destroy',
    of: 'disabled',
    by: (ask, actor) => ask('DELETE /v1/keys/:key_id', { key_id, grace_days: 9 }, actor),
  },
  restore: {
    action: 'key.restore',
    of: 'pending',
    by: (ask, actor) => ask('POST /v1/keys/:key_id/restore', { key_id }, actor),
  },
  export: {
    action: 'key.export',
    by: (ask, actor) =>
      ask('POST /v1/keys/:key_id/export', { key_id, public_key: jwkOfBits(3_072) } as never, actor),
  },
  'a rotation policy': {
    action: 'key.rotation_policy',
    by: (ask, actor) => ask('PUT /v1/keys/:key_id/rotation-policy', { key_id, interval_days: 30 }, actor),
  },
  'a least version': {
    action: 'key.min_version',
    by: (ask, actor) => ask('PUT /v1/keys/:key_id/min-version', { key_id, key_version: 2 }, actor),
  },
  'a new API key': {
    action: 'api_key.create',
    by: (ask, actor) => ask('POST /v1/api-keys', { name: 'new', permissions: ['encrypt'] }, actor),
  },
  'a change of an API key': {
    action: 'api_key.update',
    by: (ask, actor) =>
      ask('PATCH /v1/api-keys/:api_key_id', { api_key_id: changed, permissions: ['decrypt'] }, actor),
  },
  'a revocation of an API key': {
    action: 'api_key.revoke',
    by: (ask, actor) => ask('DELETE /v1/api-keys/:api_key_id', { api_key_id: changed }, actor),
  },
  'an erasure': {
    action: 'subject.erase',
    by: (ask, actor) => ask('POST /v1/subjects/erase', { subject: 'bob', create: true }, actor),
  },
  'a new issuer': {
    action: 'issuer.create',
    by: (ask, actor) =>
      ask('POST /v1/issuers', { ...newIssuer(key_id), audience: 'new' } as Input<'POST /v1/issuers'>, actor),
  },
  'a change of an issuer': {
    action: 'issuer.update',
    by: (ask, actor) => ask('PATCH /v1/issuers/:issuer_id', { issuer_id, permissions: ['encrypt'] }, actor),
  },
  'a revocation of an issuer': {
    action: 'issuer.revoke',
    by: (ask, actor) => ask('DELETE /v1/issuers/:issuer_id', { issuer_id }, actor),
  },
};

test('these calls write each action of the log but what only the operator does, and refusals', () => {
  const written = new Set(Object.values(uses).map(({ action }) => action));
  const needed = auditActions.filter((action) => effectOf(action)?.needs !== undefined);
  expect([...written].toSorted()).toEqual(needed.toSorted());
  const others = auditActions.filter((action) => effectOf(action)?.needs === undefined);
  expect(others).toEqual(['envelope_only.refused', 'tenant.update']);
});

/** Takes a right away that some calls need. */
interface Right {
  readonly end: (ask: Ask, use: Use) => Promise<unknown>;
  readonly isNeededBy: (use: Use) => boolean;
  /** Whether it is taken from an API key, and not from whoever acts. */
  readonly isOfActor: boolean;
}

const isOfKey = ({ action }: Use): boolean => /^(?:key\.(?!create)|encrypt|decrypt)/.test(action);
const change = (ask: Ask, fields: object) => ask('PATCH /v1/api-keys/:api_key_id', { api_key_id, ...fields });
const endKey =
  (grace_days: number) =>
  async (ask: Ask, { of }: Use): Promise<unknown> => {
    if (of === undefined) await ask('POST /v1/keys/:key_id/disable', { key_id });
    return ask('DELETE /v1/keys/:key_id', { key_id, grace_days });
  };

const rights: Readonly<Record<string, Right>> = {
  'by a revoked API key': {
    isOfActor: true,
    isNeededBy: () => true,
    end: (ask) => ask('DELETE /v1/api-keys/:api_key_id', { api_key_id }),
  },
  'after the expiry of its API key': {
    isOfActor: true,
    isNeededBy: () => true,
    async end(ask) {
      await change(ask, { expires_at: formatTimestamp(start + hour / 2) });
      time += hour;
    },
  },
  'without its permission': {
    isOfActor: true,
    isNeededBy: ({ action }) => effectOf(action)?.needs !== undefined,
    end: (ask, { action }) =>
      change(ask, { permissions: permissions.filter((one) => one !== effectOf(action)?.needs) }),
  },
  'under a key out of reach': {
    isOfActor: true,
    isNeededBy: isOfKey,
    end: (ask) => change(ask, { permissions: ['encrypt', 'decrypt'], key_ids: [other] }),
  },
  'in server mode, which the tenant no longer has': {
    isOfActor: true,
    isNeededBy: ({ action }) => action === 'encrypt' || action === 'decrypt',
    end: () => settle(newReplica(), operator, changeTenant({ envelope_only: true })),
  },
  'for an erased person': {
    isOfActor: false,
    isNeededBy: ({ isForPerson }) => isForPerson === true,
    end: (ask) => ask('POST /v1/subjects/erase', { subject }),
  },
  'under a disabled key': {
    isOfActor: false,
    isNeededBy: (use) => isOfKey(use) && effectOf(use.action)?.needsActive === true,
    end: (ask) => ask('POST /v1/keys/:key_id/disable', { key_id }),
  },
  'under a key that is pending destruction': {
    isOfActor: false,
    isNeededBy: (use) => isOfKey(use) && use.of !== 'pending' && use.action !== 'key.destroy',
    end: endKey(9),
  },
  'under a destroyed key': {
    isOfActor: false,
    isNeededBy: (use) => isOfKey(use) && use.of !== 'pending',
    end: endKey(0),
  },
  'of a closed version': {
    isOfActor: false,
    isNeededBy: ({ opensOldVersion }) => opensOldVersion === true,
    end: (ask) => ask('PUT /v1/keys/:key_id/min-version', { key_id, key_version: 2 }),
  },
};

/** A copy of what the tenant has, because servers change the rows of the store. */
function kept(): MemoryTenant {
  const tenant = store.tenants.get(tenantId);
  if (!tenant) throw new Error('the tenant must exist');
  return { ...tenant, tables: new Map(Array.from(tenant.tables, ([name, rows]) => [name, new Map(rows)])) };
}
const beginning = kept();

beforeEach(() => {
  time = start;
  const tables = Array.from(beginning.tables, ([name, rows]) => [name, new Map(rows)] as const);
  store.tenants.set(tenantId, { ...beginning, tables: new Map(tables) });
});

/** Lays rows there, as whoever has the database can. The log stays. */
function lay({ tables }: MemoryTenant): void {
  const ofLog = new Set([entries.name, blocks.name, 'tallies']);
  for (const [name, rows] of tables) {
    if (!ofLog.has(name)) store.tenants.get(tenantId)?.tables.set(name, new Map(rows));
  }
}

const lastId = (): number => Number(store.tenants.get(tenantId)?.head.id);

/** A server that knows nothing yet. */
function replica(): Ask {
  const fresh = newReplica();
  return async (route, input, actor = 'operator') =>
    (await run(fresh, { ...insider(tenantId, 'operator'), actor }, route, input)).answer;
}

/** The route of a call, which is not made. */
async function routeOf({ by }: Use): Promise<Route> {
  const asked: Route[] = [];
  await by(async (route) => {
    asked.push(route);
    return {} as never;
  });
  return asked[0] as Route;
}

async function prepare({ of }: Use): Promise<void> {
  if (of !== undefined) await replica()('POST /v1/keys/:key_id/disable', { key_id });
  if (of === 'pending') await replica()('DELETE /v1/keys/:key_id', { key_id, grace_days: 9 });
}

/** Finds contradictions in entries only, because the rows that were laid back differ from what the log says. */
async function contradictionsFrom(from_id: number) {
  const { errors } = await verifyTenant(service, tenantId, { from_id, mostRows: 0 });
  return errors.filter(({ reason }) => reason === 'contradiction').map(({ id }) => id);
}

describe.each(Object.entries(uses))('%s', (_, use) => {
  test('contradicts nothing while the API key has the one permission that it needs', async () => {
    await prepare(use);
    const { permission } = endpoints[await routeOf(use)];
    await change(replica(), { permissions: [permission] });
    await use.by(replica(), api_key_id);

    expect(await contradictionsFrom(1)).toEqual([]);
  });

  test.each(Object.entries(rights).filter(([, { isNeededBy }]) => isNeededBy(use)))(
    '%s is found',
    async (_, { end, isOfActor }) => {
      await prepare(use);
      const before = kept();
      await end(replica(), use);
      const said = lastId();
      const after = kept();
      lay(before);
      await use.by(replica(), isOfActor ? api_key_id : undefined);
      lay(after);

      expect(lastId()).toBe(said + 1);
      for (const from_id of [1, said + 1]) expect(await contradictionsFrom(from_id)).toEqual([said + 1]);
    },
  );
});
