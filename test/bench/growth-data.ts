import { randomBytes, randomUUID } from 'node:crypto';
import { insider, keyDraft, keys, keyVersions, type Part, settle as decide, add, put } from '@eaas/service';
import type postgres from 'postgres';
import { readConfig } from '../../packages/cli/src/config.ts';
import { openService } from '../../packages/server/src/app/open-service.ts';
import type { Service } from '../../packages/server/src/app/service.ts';
import { nightAt, recordNight } from '../../packages/server/src/jobs/verify-nightly.ts';
import { alone } from '@eaas/test-kit/alone';
import type { Operator } from '@eaas/test-kit/faults/place';
import { type Api, apiOf, dek, type Resident, settle } from '@eaas/test-kit/world';
import { copyTenants } from './copy-tenants.ts';

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

type Judge = Part<object>['judge'];

const context = { context: { column: 'diagnosis', table: 'patients' } };
const perLink = 1_000;

/** Writes many rows with each link, because a million API calls would take an hour. */
export async function fillTenants(operator: Operator, sql: postgres.Sql, size: number): Promise<Tenants> {
  const { service } = operator;
  const manyEntries = await grow(operator);
  await appendEntries(service, manyEntries, size);
  const manyVersions = await grow(operator);
  await addVersions(service, manyVersions, size);
  const manyKeys = await grow(operator);
  const { key_id } = await manyKeys.api('POST /v1/keys', { name: 'disabled' });
  await manyKeys.api('POST /v1/keys/:key_id/disable', { key_id });
  await addKeys(service, manyKeys, size);
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

async function inLinks(
  { service, tenantId, size }: { service: Service; tenantId: string; size: number },
  judgeOf: (from: number, count: number) => Judge,
): Promise<void> {
  for (let from = 0; from < size; from += perLink) {
    const judge = judgeOf(from, Math.min(perLink, size - from));
    await decide(service, insider(tenantId, 'system'), { by: 'append', needs: () => [], judge });
  }
}

export async function appendEntries(service: Service, { tenantId, keyId }: Grown, size: number) {
  const wrap = keyDraft('key.wrap', { key_id: keyId, key_version: 1 }, context);
  const others = Array.from({ length: 10 }, () =>
    keyDraft('key.unwrap', { key_id: randomUUID(), key_version: 1 }, context),
  );
  await inLinks({ service, tenantId, size }, (_, length) => {
    const drafts = Array.from(
      { length },
      (_, nth) => (nth % 10 === 9 && others[((nth / 10) | 0) % 10]) || wrap,
    );
    return () => ({ entries: drafts, answer: {} });
  });
}

async function addVersions(service: Service, { api, tenantId }: Grown, size: number): Promise<void> {
  const each = Math.max(1, Math.min(10_000, size / 10));
  for (let made = 0; made < size; made += each) {
    const { key_id } = await api('POST /v1/keys', { name: `key ${made}` });
    await inLinks({ service, tenantId, size: each - 1 }, (from, length) => (view) => {
      const row = view.find(keys, key_id);
      if (!row) throw new Error(`expected the new key ${key_id} in the database (got none)`);
      const key = { ...row, key_version: from + length + 1, rev: view.entryId };
      const versions = Array.from({ length }, (_, nth) =>
        add(keyVersions, versionOf({ ...key, key_version: from + nth + 2 })),
      );
      return { entries: [keyDraft('key.rotate', key)], writes: [put(keys, key), ...versions], answer: {} };
    });
  }
}

async function addKeys(service: Service, { tenantId, keyId }: Grown, size: number): Promise<void> {
  await inLinks({ service, tenantId, size }, (from, length) => (view) => {
    const model = view.find(keys, keyId);
    if (!model) throw new Error(`expected the key ${keyId} in the database (got none)`);
    const rows = Array.from({ length }, (_, nth) => ({
      ...model,
      key_id: randomUUID(),
      name: `copy ${from + nth}`,
      status: (from + nth) % 1_000 === 0 ? ('disabled' as const) : model.status,
      created_id: view.entryId + nth,
      rev: view.entryId + nth,
    }));
    return {
      entries: rows.map((row) => keyDraft('key.create', row)),
      writes: rows.flatMap((row) => [add(keys, row), add(keyVersions, versionOf(row))]),
      answer: {},
    };
  });
}

/** Nobody opens this version. */
const versionOf = ({
  tenant_id,
  key_id,
  key_version,
}: Record<'tenant_id' | 'key_id', string> & { key_version: number }) => ({
  tenant_id,
  key_id,
  key_version,
  created_at: 0,
  sealed: randomBytes(78),
});

/** Makes a tenant with `old` entries that are due, and as many later ones as the place is large. */
export async function growPurgeable({ operator, service, sql, size }: Place, old: number): Promise<void> {
  await setNow(sql, `clock_timestamp() - interval '6 years'`);
  const earlier = await openService(readConfig(operator.env), 'command');
  const newTenant = () => settle(earlier.service, `past ${randomUUID()}`);
  const past = await grow({ ...operator, service: earlier.service, newTenant });
  await appendEntries(earlier.service, past, old);
  await earlier.close();
  await setNow(sql, 'clock_timestamp()');
  await appendEntries(service, past, size);
  // Without `analyze`, the planner of PostgreSQL has no statistics about the inserted rows.
  await sql.unsafe('vacuum analyze eaas.audit_entries');
}

async function setNow(sql: postgres.Sql, time: string): Promise<void> {
  await sql.unsafe(`create or replace function eaas.now_ms() returns bigint language sql volatile
    return (extract(epoch from ${time}) * 1000)::bigint`);
}

/** Records tonight's verification as finished. Otherwise a server would verify the copied tenants, whose MACs are wrong. */
export const finishTonight = ({ service }: Pick<Place, 'service'>): Promise<void> =>
  recordNight(service, alone(), nightAt(service.ledger.clock.now()), 0);
