import type { MemoryTenant } from '@eaas/local/internal';
import type { Permission, Route } from '@eaas/protocol/wire';
import { called } from '@eaas/test-kit/called';
import * as fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { openTenant } from '../../test/open-tenant.ts';
import { type ApiKeyRow, apiKeys, tenants, type TenantRow } from '../ledger/tables.ts';
import { settle } from '../operate.ts';
import { changeTenant } from '../operations/tenants.ts';
import { Refusal } from '../rules/refusal.ts';
import { verifyTenant } from './verify.ts';

const hour = 3_600_000;
const dek = randomBytes(32).toString('base64');

/** A tenant with two keys and two API keys, whose rows are put back for a moment. */
async function open() {
  let time = Date.UTC(2026, 2);
  const { store, tenantId, operator, start: fresh, ...first } = await openTenant({ now: () => time });
  const tenant = store.tenants.get(tenantId) as MemoryTenant;
  const ask: typeof first.call = (route, input) => first.callOn(fresh())(route, input);
  const permissions: Permission[] = ['encrypt', 'decrypt', 'keys.manage', 'api_keys.manage'];
  const ids = [0, 1].map((nth) => `key ${nth}`);
  const keyIds = await Promise.all(ids.map(async (name) => (await ask('POST /v1/keys', { name })).key_id));
  const made = await Promise.all(ids.map((name) => ask('POST /v1/api-keys', { name, permissions })));
  const opened = await Promise.all(
    keyIds.map(async (key_id) => ({
      ...(await ask('POST /v1/keys/:key_id/wrap', { key_id, dek })),
      bundle: await ask('POST /v1/encrypt', { key_id, plaintext: 'x' }),
    })),
  );
  const kept: MemoryTenant['tables'][] = [];
  const ofRights = [apiKeys.name, tenants.name];
  const keep = () => new Map(ofRights.map((name) => [name, new Map(tenant.tables.get(name))]));
  const lay = (rows: (typeof kept)[number]) => {
    for (const [name, those] of rows) tenant.tables.set(name, new Map(those));
  };
  const as = (nth: number, route: Route, body: object) =>
    called(
      fresh(),
      { route, authorization: `Bearer ${made[nth]?.api_key}`, header: () => undefined, ipAddress: null },
      () => body,
    ).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
    });
  const rowOf = (name: string, id: string | undefined) => tenant.tables.get(name)?.get(`${name} ${id}`)?.row;
  const inputs = (which: number) => {
    const [key_id = '', { wrapped_key = '', bundle } = {}] = [keyIds[which], opened[which]];
    return {
      wrap: ['POST /v1/keys/:key_id/wrap', { key_id, dek }],
      unwrap: ['POST /v1/keys/:key_id/unwrap', { key_id, wrapped_key }],
      encrypt: ['POST /v1/encrypt', { key_id, plaintext: 'x' }],
      decrypt: ['POST /v1/decrypt', { ...bundle, key_id }],
    } as const;
  };
  /** The entries that the rows as they should be would not have let happen. */
  const wrong: number[] = [];
  return {
    wrong,
    verify: (from_id = 1) => verifyTenant(fresh(), tenantId, { from_id }),
    head: () => tenant.head.id,
    wait: (): void => void (time += hour),
    async update(nth: number, own: boolean, patch: Patch): Promise<void> {
      const { expires_in, key, ...fields } = patch;
      const expires_at = expires_in && new Date(time + expires_in).toISOString();
      const key_ids = key === undefined ? undefined : key === null ? null : [keyIds[key] ?? ''];
      const all = { ...fields, expires_at, key_ids, api_key_id: made[nth]?.api_key_id ?? '' };
      const body = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
      kept.push(keep());
      if (own) await as(nth, 'PATCH /v1/api-keys/:api_key_id', body);
      else await ask('PATCH /v1/api-keys/:api_key_id', body as never).catch(() => {});
    },
    async close(envelope_only: boolean): Promise<void> {
      kept.push(keep());
      await settle(fresh(), operator, changeTenant({ envelope_only }));
    },
    async use(nth: number, which: number, verb: Verb, back: number): Promise<void> {
      const { key_ids, expires_at, ...row } = rowOf(apiKeys.name, made[nth]?.api_key_id) as ApiKeyRow;
      const { envelope_only } = rowOf(tenants.name, tenantId) as TenantRow;
      const isOpen = verb === 'unwrap' || verb === 'decrypt';
      const may =
        row.permissions.includes(isOpen ? 'decrypt' : 'encrypt') &&
        key_ids?.includes(keyIds[which] ?? '') !== false &&
        (expires_at ?? Infinity) > time &&
        !(envelope_only && (verb === 'encrypt' || verb === 'decrypt'));
      const [{ id }, now] = [tenant.head, keep()];
      lay(kept.at(-back) ?? now);
      await as(nth, ...(inputs(which)[verb] as readonly [Route, object]));
      lay(now);
      const isRefusal = JSON.stringify(
        [...(tenant.tables.get('audit_entries')?.values() ?? [])].at(-1),
      ).includes('envelope_only.refused');
      if (tenant.head.id > id && !may && !isRefusal) wrong.push(tenant.head.id);
    },
  };
}

type Verb = 'wrap' | 'unwrap' | 'encrypt' | 'decrypt';
interface Patch {
  readonly permissions?: Permission[] | undefined;
  readonly key?: number | null | undefined;
  readonly expires_in?: number | null | undefined;
  readonly name?: string | undefined;
}

const nth = fc.nat({ max: 1 });
const patch: fc.Arbitrary<Patch> = fc.record(
  {
    permissions: fc.subarray<Permission>(['encrypt', 'decrypt', 'keys.manage', 'api_keys.manage'], {
      minLength: 1,
    }),
    key: fc.option(nth),
    expires_in: fc.constantFrom(null, hour / 2, 2.5 * hour),
    name: fc.constantFrom('a', 'b'),
  },
  { requiredKeys: [] },
);
const verbs = fc.constantFrom<Verb>('wrap', 'unwrap', 'encrypt', 'decrypt');
const step = fc.oneof(
  fc.tuple(fc.constant('update' as const), nth, fc.boolean(), patch),
  fc.tuple(fc.constant('use' as const), nth, nth, verbs, fc.nat({ max: 6 })),
  fc.tuple(fc.constant('use' as const), nth, nth, verbs, fc.nat({ max: 6 })),
  fc.tuple(fc.constant('close' as const), fc.boolean()),
  fc.tuple(fc.constant('wait' as const)),
);

test('exactly what rights did not allow contradicts, and nothing else wherever a call begins', async () => {
  const all = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
    const world = await open();
    for (const [what, ...of] of steps) await (world[what] as (...all: unknown[]) => unknown)(...of);
    const { errors } = await world.verify();
    expect(errors).toEqual(world.wrong.map((id) => ({ id, reason: 'contradiction' })));
    for (let from = 2; from <= world.head() + 1; from += 3)
      for (const { id, reason } of (await world.verify(from)).errors)
        expect([reason, world.wrong.includes(id ?? 0)]).toEqual(['contradiction', true]);
  });
  await fc.assert(all, { numRuns: 8 });
});

test.each<[what: string, narrow: (world: Awaited<ReturnType<typeof open>>) => unknown]>([
  ['permission', (world) => world.update(0, false, { permissions: ['decrypt'] })],
  ['key', (world) => world.update(0, false, { permissions: ['encrypt'], key: 1 })],
  ['time', (world) => world.update(0, false, { expires_in: hour / 2 }).then(world.wait)],
  ['server mode', (world) => world.close(true)],
])(
  'a narrowed %s contradicts a use from the narrowing on, also of a call that begins later',
  async (_, narrow) => {
    const world = await open();
    await narrow(world);
    await world.use(0, 0, 'encrypt', 1);
    const id = world.head();
    await world.use(1, 1, 'wrap', 0);
    for (const from_id of [1, id]) {
      const errors = [{ id, reason: 'contradiction' }];
      expect(await world.verify(from_id)).toMatchObject({ errors, valid: false });
    }
  },
);
