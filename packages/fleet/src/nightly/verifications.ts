import { first, type Sql, type Table, type Transaction } from '@eaas/server/internal';

export interface MarkerRow {
  readonly tenant_id: string;
  readonly id: number;
  readonly hash: Uint8Array;
  readonly valid: boolean;
  readonly findings: string;
  readonly finished_at: number;
  /** The number of days from 1970 to the night of the verification. */
  readonly night: number;
  /** The MAC is empty if the tenant's secret cannot be decrypted. */
  readonly mac: Uint8Array;
}

export const markerTable: Table<MarkerRow> = {
  name: 'verification_markers',
  id: 'tenant_id',
  label: ['eaas verification v1'],
  columns: ['tenant_id', 'id', 'hash', 'valid', 'findings', 'finished_at', 'night'],
  booleans: ['valid'],
  numbers: ['id', 'finished_at', 'night'],
};

export interface NightRow {
  readonly day: string;
  readonly taken_at: number;
  readonly finished_at: number;
  readonly broken: number;
  readonly mac: Uint8Array;
}

export const nightTable: Table<NightRow> = {
  name: 'verifications',
  id: 'day',
  label: ['eaas verified night v1'],
  columns: ['day', 'taken_at', 'finished_at', 'broken'],
  numbers: ['taken_at', 'finished_at', 'broken'],
};

export async function* chainsInPages(read: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>) {
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const page = await read((sql) => chainsAfter(sql, after));
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

async function chainsAfter(sql: Sql, after: string): Promise<string[]> {
  const rows = await sql<{ tenant_id: string }[]>`
    (select tenant_id from eaas.tenants where tenant_id > ${after} order by tenant_id limit 1000)
    union (select tenant_id from eaas.audit_heads where tenant_id > ${after} order by tenant_id limit 1000)
    order by tenant_id limit 1000`;
  return rows.map((row) => row.tenant_id);
}

export function findMarker(sql: Sql, tenantId: string): Promise<MarkerRow | undefined> {
  return first(sql<MarkerRow[]>`select * from eaas.verification_markers where tenant_id = ${tenantId}`);
}

export async function writeMarker(tx: Transaction, { tenant_id, ...columns }: MarkerRow): Promise<void> {
  await tx`insert into eaas.verification_markers ${tx({ tenant_id, ...columns })}
    on conflict (tenant_id) do update set ${tx(columns)}`;
}

export function findNight(sql: Sql, day: string): Promise<NightRow | undefined> {
  return first(sql<NightRow[]>`select * from eaas.verifications where day = ${day}`);
}

/** Ignores nights in the future, which remain if the clock of the database was set back. */
export function findLastNight(sql: Sql): Promise<NightRow | undefined> {
  return first(sql<NightRow[]>`
    select * from eaas.verifications where finished_at <= eaas.now_ms() order by day desc limit 1`);
}

export async function finishNight(tx: Transaction, { day, ...columns }: NightRow): Promise<void> {
  await tx`delete from eaas.verification_markers m
    where not exists (select from eaas.tenants t where t.tenant_id = m.tenant_id)
      and not exists (select from eaas.audit_heads h where h.tenant_id = m.tenant_id)`;
  await tx`insert into eaas.verifications ${tx({ day, ...columns })}
    on conflict (day) do update set ${tx(columns)}`;
}
