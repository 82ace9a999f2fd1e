// The tables of the core: the tenant, its keys with their versions, its API keys, and the ends and entries of its log.
import type { Output } from '@eaas/protocol/wire';
import type { Reach } from '../rules/authorize.ts';
import type { Table } from './table.ts';

interface Recorded {
  readonly tenant_id: string;
  /** The id of the entry that records the last change of the row. */
  readonly rev: number;
}

/** The row of a tenant. */
export interface TenantRow extends Recorded {
  readonly name: string;
  readonly envelope_only: boolean;
  readonly monthly_encrypt_quota: number | null;
  readonly created_at: number;
  /** Names the root key that seals the tenant's secret. */
  readonly root_id: Uint8Array;
  readonly sealed_secret: Uint8Array;
}

/** The row of a key. Plugins add columns: see `Fields` in plugin.ts. */
export interface KeyRow extends Recorded {
  readonly key_id: string;
  readonly name: string;
  readonly key_version: number;
  readonly status: Output<'POST /v1/keys'>['status'];
  readonly exportable: boolean;
  readonly created_at: number;
  readonly rotated_at: number | null;
  readonly interval_days: number | null;
  readonly next_rotation_at: number | null;
  readonly destroy_at: number | null;
  readonly sealed_hash_key: Uint8Array | null;
  /** The id of the entry that created the row: lists are ordered by it. */
  readonly created_id: number;
}

/** A version of a key. `sealed` is null once the key is destroyed. */
export interface KeyVersionRow {
  readonly tenant_id: string;
  readonly key_id: string;
  readonly key_version: number;
  readonly created_at: number;
  readonly sealed: Uint8Array | null;
}

/** The row of an API key. */
export interface ApiKeyRow extends Reach, Recorded {
  readonly api_key_id: string;
  readonly name: string;
  /** The last four characters of the API key's token. */
  readonly hint: string;
  readonly created_at: number;
  readonly created_by: string;
  readonly revoked_at: number | null;
  readonly token_hash: Uint8Array;
  readonly created_id: number;
}

/** An entry of the audit log, as it is stored. */
export interface EntryRow {
  readonly tenant_id: string;
  readonly id: number;
  readonly action: string;
  readonly key_id: string | null;
  readonly key_version: number | null;
  readonly actor: string;
  readonly ip_address: string | null;
  /** Canonical JSON. */
  readonly metadata: string;
  readonly created_at: number;
  readonly hash: Uint8Array;
  readonly mac: Uint8Array;
}

/** The last purged entry. */
export interface AnchorRow {
  readonly tenant_id: string;
  readonly id: number;
  readonly hash: Uint8Array;
  readonly mac: Uint8Array;
}

/** How often an action was done with a version of a key in a month. Key and version are null for actions without a key. */
export interface TallyRow {
  readonly tenant_id: string;
  readonly key_id: string | null;
  readonly key_version: number | null;
  readonly action: string;
  readonly month: string;
  /** Successes, recorded refusals, and entries of either kind that the purge has deleted. */
  readonly n: number;
  readonly refused: number;
  readonly purged: number;
  readonly last_at: number;
}

/** When an API key was last used, to the minute. */
export interface UseRow {
  readonly tenant_id: string;
  readonly api_key_id: string;
  readonly last_used_at: number;
}

const recordedAs = <Row extends { readonly rev: number }>(table: string, id: keyof Row & string) => ({
  label: ['eaas row v1', table],
  nameOf: (row: Row) => String(row[id]),
  revOf: (row: Row) => row.rev,
});

export const tenants: Table<TenantRow> = {
  name: 'tenants',
  id: ['tenant_id'],
  columns: [
    'tenant_id',
    'name',
    'envelope_only',
    'monthly_encrypt_quota',
    'created_at',
    'root_id',
    'sealed_secret',
    'rev',
  ],
  booleans: ['envelope_only'],
  numbers: ['monthly_encrypt_quota', 'created_at', 'rev'],
  record: recordedAs('tenants', 'tenant_id'),
};

export const keys: Table<KeyRow> = {
  name: 'keys',
  id: ['key_id'],
  columns: [
    'key_id',
    'tenant_id',
    'name',
    'key_version',
    'status',
    'exportable',
    'created_at',
    'rotated_at',
    'interval_days',
    'next_rotation_at',
    'destroy_at',
    'sealed_hash_key',
    'created_id',
    'rev',
  ],
  booleans: ['exportable'],
  numbers: [
    'key_version',
    'created_at',
    'rotated_at',
    'interval_days',
    'next_rotation_at',
    'destroy_at',
    'created_id',
    'rev',
  ],
  record: recordedAs('keys', 'key_id'),
};

export const keyVersions: Table<KeyVersionRow> = {
  name: 'key_versions',
  id: ['key_id', 'key_version'],
  columns: ['tenant_id', 'key_id', 'key_version', 'created_at', 'sealed'],
  numbers: ['key_version', 'created_at'],
};

export const apiKeys: Table<ApiKeyRow> = {
  name: 'api_keys',
  id: ['api_key_id'],
  columns: [
    'api_key_id',
    'tenant_id',
    'name',
    'hint',
    'token_hash',
    'permissions',
    'key_ids',
    'allowed_origins',
    'expires_at',
    'created_at',
    'created_by',
    'revoked_at',
    'created_id',
    'rev',
  ],
  foundBy: 'token_hash',
  numbers: ['expires_at', 'created_at', 'revoked_at', 'created_id', 'rev'],
  record: recordedAs('api_keys', 'api_key_id'),
};

export const entries: Table<EntryRow> = {
  name: 'audit_entries',
  id: ['id'],
  columns: [
    'id',
    'action',
    'key_id',
    'key_version',
    'actor',
    'ip_address',
    'metadata',
    'created_at',
    'hash',
    'mac',
  ],
  isLoose: true,
};

export const anchors: Table<AnchorRow> = {
  name: 'audit_anchors',
  id: ['tenant_id'],
  columns: ['tenant_id', 'id', 'hash'],
  numbers: ['id'],
  isLoose: true,
  record: { label: ['eaas anchor v1'], nameOf: ({ tenant_id }) => tenant_id, revOf: () => null },
};

export const tallies: Table<TallyRow> = {
  name: 'tallies',
  id: ['key_id', 'key_version', 'action', 'month'],
  columns: ['tenant_id', 'key_id', 'key_version', 'action', 'month', 'n', 'refused', 'purged', 'last_at'],
  isLoose: true,
};

export const uses: Table<UseRow> = {
  name: 'api_key_uses',
  id: ['api_key_id'],
  columns: ['tenant_id', 'api_key_id', 'last_used_at'],
  isLoose: true,
};
