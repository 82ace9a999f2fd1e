import { randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import { insider } from '../../packages/server/src/state/caller.ts';
import { newMaterial, nightKey, versionPlace } from '../../packages/server/src/crypto/key-hierarchy.ts';
import { readConfig } from '../../packages/cli/src/config.ts';
import { openService } from '../../packages/server/src/app/open-service.ts';
import type { Service } from '../../packages/server/src/app/service.ts';
import { decide } from '../../packages/server/src/state/decide.ts';
import { seal } from '../../packages/server/src/state/integrity.ts';
import type { TenantState } from '../../packages/server/src/state/tenant-view.ts';
import { findHead, headTable } from '../../packages/server/src/store/heads.ts';
import { findKey, keyTable } from '../../packages/server/src/store/keys.ts';
import { nightTable, writeNight } from '../../packages/server/src/store/verifications.ts';
import type { Operator } from '@eaas/test-kit/faults/place';
import { copyKeys, copyTenants, rowOf } from './growth-copies.ts';
import { type Api, apiOf, dek, type Resident, settle } from '@eaas/test-kit/world';

export interface Grown extends Resident {
  readonly api: Api;
  readonly keyId: string;
  readonly wrapped: string;
}

export interface Tenants {
  readonly manyKeys: Grown;
  readonly manyEntries: Grown;
  readonly manyVersions: Grown;
}

export interface Place extends Tenants {
  readonly size: number;
  readonly operator: Operator;
  readonly service: Service;
  readonly sql: postgres.Sql;
}

const metadata = '{"context":{"column":"diagnosis","table":"patients"}}';
const entriesPerAppend = 100;

/** Copies keys and tenants by SQL, because a million API calls would take an hour. */
export async function fillTenants(operator: Operator, sql: postgres.Sql, size: number): Promise<Tenants> {
  const { service } = operator;
  const manyEntries = await grow(operator);
  await appendEntries(service, manyEntries, size);
  const manyVersions = await grow(operator);
  await addVersions(service, sql, manyVersions, size);
  const manyKeys = await grow(operator);
  const { key_id } = await manyKeys.api('POST /v1/keys', { name: 'disabled' });
  await manyKeys.api('POST /v1/keys/:key_id/disable', { key_id });
  await copyKeys(sql, manyKeys, size);
  await copyTenants(sql, manyKeys.tenantId, size);
  return { manyKeys, manyEntries, manyVersions };
}

async function grow({ service, newTenant }: Operator): Promise<Grown> {
  const resident = await newTenant();
  const api = apiOf(service, resident.token);
  const { key_id: keyId } = await api('POST /v1/keys', { name: 'key' });
  const { wrapped_key: wrapped } = await api('POST /v1/keys/:key_id/wrap', { key_id: keyId, dek });
  return { ...resident, api, keyId, wrapped };
}

export async function appendEntries(service: Service, { tenantId, keyId }: Grown, entries: number) {
  const others = Array.from({ length: 10 }, () => randomUUID());
  for (let done = 0; done < entries; done += entriesPerAppend) {
    const drafts = Array.from({ length: Math.min(entriesPerAppend, entries - done) }, (_, nth) =>
      nth % 10 < 9
        ? ({ action: 'key.wrap', keyId, keyVersion: 1, metadata } as const)
        : ({
            action: 'key.unwrap',
            keyId: others[((nth / 10) % 10) | 0] ?? keyId,
            keyVersion: 1,
            metadata,
          } as const),
    );
    await decide(service, insider(tenantId, 'system'), () => ({ drafts, answer: undefined }));
  }
}

async function addVersions(service: Service, sql: postgres.Sql, { api, tenantId }: Grown, size: number) {
  const state = await stateOf(service, tenantId);
  const each = Math.max(1, Math.min(10_000, size / 10));
  for (let made = 0; made < size; made += each) {
    const { key_id: keyId } = await api('POST /v1/keys', { name: `key ${made}` });
    const row = await service.database.run((tx) => findKey(tx, tenantId, keyId));
    if (!row) throw new Error(`expected the new key ${keyId} in the database (got none)`);
    const { mac } = seal(state.secrets, keyTable, { ...row, key_version: each });
    await sql`update eaas.keys set key_version = ${each}, mac = ${mac} where tenant_id = ${tenantId} and key_id = ${keyId}`;
    const sealed = Array.from({ length: each }, (_, nth) =>
      Buffer.from(newMaterial(state.secrets.sealing, versionPlace(tenantId, keyId, nth + 1))).toString('hex'),
    );
    await sql`
      insert into eaas.key_versions (tenant_id, key_id, key_version, created_at, sealed)
      select ${tenantId}::uuid, ${keyId}::uuid, nth, 0, decode(text, 'hex')
      from unnest(string_to_array(${sealed.join(' ')}, ' ')) with ordinality as one (text, nth) where nth > 1`;
  }
  service.tenants.forget(tenantId);
}

export async function growPurgeable({ operator, service, sql, size }: Place, old: number): Promise<void> {
  await setNow(sql, `clock_timestamp() - interval '6 years'`);
  const earlier = await openService(readConfig(operator.env), 'command');
  const newTenant = () => settle(earlier.service, `past ${randomUUID()}`);
  const past = await grow({ ...operator, service: earlier.service, newTenant });
  await appendEntries(earlier.service, past, old);
  await earlier.close();
  await setNow(sql, 'clock_timestamp()');
  const state = await stateOf(service, past.tenantId);
  const before = await service.database.run((tx) => findHead(tx, past.tenantId));
  if (!before) throw new Error('expected an audit log of the tenant (got none)');
  const last = await rowOf(sql`select to_jsonb(e)::text as row from eaas.audit_entries e
    where tenant_id = ${past.tenantId} and id = ${before.id}`);
  await sql`
    insert into eaas.audit_entries select (jsonb_populate_record(null::eaas.audit_entries, ${last}::text::jsonb ||
      jsonb_build_object('id', ${before.id}::bigint + nth, 'created_at', eaas.now_ms()))).*
    from generate_series(1, ${size}::int) nth`;
  const { now: _, known_hash: _known, ...head } = before;
  const { id, mac } = seal(state.secrets, headTable, { ...head, id: head.id + size });
  await sql`update eaas.audit_heads set id = ${id}, mac = ${mac} where tenant_id = ${past.tenantId}`;
  await sql`insert into eaas.usage_cursors (tenant_id, counted_through) values (${past.tenantId}, ${id})`;
  // Without `analyze`, the planner of PostgreSQL has no statistics about the inserted rows.
  await sql.unsafe('vacuum analyze eaas.audit_entries');
  service.tenants.forget(past.tenantId);
}

async function setNow(sql: postgres.Sql, time: string): Promise<void> {
  await sql.unsafe(`create or replace function eaas.now_ms() returns bigint language sql volatile
    return (extract(epoch from ${time}) * 1000)::bigint`);
}

async function stateOf(service: Service, tenantId: string): Promise<TenantState> {
  const view = await service.tenants.view(tenantId);
  if (!view) throw new Error(`expected the tenant ${tenantId} in the database (got none)`);
  return view.state;
}

/** Records tonight's verification as finished. Otherwise a server would verify the copied rows, whose MACs are wrong. */
export async function finishTonight({ service }: Pick<Place, 'service'>): Promise<void> {
  const now = service.clock.now();
  const [root] = service.tenants.roots;
  const night = { day: new Date(now).toISOString().slice(0, 10), finished_at: now, broken: 0 };
  await service.background.transaction(
    (tx) => writeNight(tx, seal({ rowMac: nightKey(root) }, nightTable, night)),
    60_000,
  );
}
