// What the nightly verification keeps: how far each log was verified, and the result of each night.
import { first, type Table } from './rows.ts';
import type { Sql, Transaction } from './sql.ts';

/** The last verification of a tenant's log: its newest entry then, and the night, in days since 1970. */
export interface MarkerRow {
  readonly tenant_id: string;
  readonly id: number;
  readonly hash: Uint8Array;
  readonly valid: boolean;
  readonly night: number;
  readonly mac: Uint8Array;
}

export const markerTable: Table<MarkerRow> = {
  name: 'verification_markers',
  id: 'tenant_id',
  label: ['eaas verification v1'],
  columns: ['tenant_id', 'id', 'hash', 'valid', 'night'],
  booleans: ['valid'],
  numbers: ['id', 'night'],
};

export interface NightRow {
  readonly day: string;
  readonly finished_at: number;
  readonly broken: number;
  readonly mac: Uint8Array;
}

export const nightTable: Table<NightRow> = {
  name: 'verifications',
  id: 'day',
  label: ['eaas verified night v1'],
  columns: ['day', 'finished_at', 'broken'],
  numbers: ['finished_at', 'broken'],
};

export function findMarker(sql: Sql, tenantId: string): Promise<MarkerRow | undefined> {
  return first(sql<MarkerRow[]>`select * from eaas.verification_markers where tenant_id = ${tenantId}`);
}

export async function writeMarker(tx: Transaction, { tenant_id, ...columns }: MarkerRow): Promise<void> {
  await tx`insert into eaas.verification_markers ${tx({ tenant_id, ...columns })}
    on conflict (tenant_id) do update set ${tx(columns)}`;
}

/** Ignores nights in the future, which remain if the clock of the database was set back. */
export function findLastNight(sql: Sql): Promise<NightRow | undefined> {
  return first(sql<NightRow[]>`
    select * from eaas.verifications where finished_at <= eaas.now_ms() order by day desc limit 1`);
}

export async function writeNight(tx: Transaction, { day, ...columns }: NightRow): Promise<void> {
  await tx`insert into eaas.verifications ${tx({ day, ...columns })}
    on conflict (day) do update set ${tx(columns)}`;
}
