// The tables of the core: the tenant, its keys with their versions, its API keys, and the ends and entries of its log.
import type { Output, Permission } from '@eaas/protocol/wire';
import { type RowOf, tableOf } from './table.ts';

export * from './table.ts';

/** Rows whose `rev` is the id of the entry that records the last change. */
export const recordedAs = <Row extends { readonly rev: number }>(table: string, id: keyof Row & string) => ({
  label: ['eaas row v1', table],
  nameOf: (row: Row) => String(row[id]),
  revOf: (row: Row) => row.rev,
});

const tenant = {
  tenant_id: 'text',
  name: 'text',
  envelope_only: 'boolean',
  monthly_encrypt_quota: 'number?',
  created_at: 'number',
  /** Names the root key that seals the tenant's secret. */
  root_id: 'bytes',
  sealed_secret: 'bytes',
  rev: 'number',
} as const;

/** The row of a tenant. */
export type TenantRow = RowOf<typeof tenant>;

export const tenants = tableOf<TenantRow>(tenant, {
  name: 'tenants',
  id: ['tenant_id'],
  record: recordedAs('tenants', 'tenant_id'),
});

const key = {
  key_id: 'text',
  tenant_id: 'text',
  name: 'text',
  key_version: 'number',
  status: 'text',
  exportable: 'boolean',
  created_at: 'number',
  rotated_at: 'number?',
  interval_days: 'number?',
  next_rotation_at: 'number?',
  destroy_at: 'number?',
  /** Wrapped keys of older versions are refused. */
  min_version: 'number',
  sealed_hash_key: 'bytes?',
  /** The id of the entry that created the row: lists are ordered by it. */
  created_id: 'number',
  rev: 'number',
} as const;

/** The row of a key. Plugins add columns: see `Fields` in plugin.ts. */
export interface KeyRow extends RowOf<typeof key> {
  readonly status: Output<'POST /v1/keys'>['status'];
}

export const keys = tableOf<KeyRow>(key, {
  name: 'keys',
  id: ['key_id'],
  record: recordedAs('keys', 'key_id'),
});

const keyVersion = {
  tenant_id: 'text',
  key_id: 'text',
  key_version: 'number',
  created_at: 'number',
  /** Null once the key is destroyed. */
  sealed: 'bytes?',
} as const;

/** A version of a key. */
export type KeyVersionRow = RowOf<typeof keyVersion>;

export const keyVersions = tableOf<KeyVersionRow>(keyVersion, {
  name: 'key_versions',
  id: ['key_id', 'key_version'],
});

const apiKey = {
  api_key_id: 'text',
  tenant_id: 'text',
  name: 'text',
  /** The last four characters of the API key's token. */
  hint: 'text',
  token_hash: 'bytes',
  permissions: 'texts',
  key_ids: 'texts?',
  allowed_origins: 'texts?',
  expires_at: 'number?',
  created_at: 'number',
  created_by: 'text',
  revoked_at: 'number?',
  created_id: 'number',
  rev: 'number',
} as const;

/** The row of an API key. */
export interface ApiKeyRow extends RowOf<typeof apiKey> {
  readonly permissions: readonly Permission[];
}

export const apiKeys = tableOf<ApiKeyRow>(apiKey, {
  name: 'api_keys',
  id: ['api_key_id'],
  foundBy: 'token_hash',
  record: recordedAs('api_keys', 'api_key_id'),
});

const entry = {
  id: 'number',
  action: 'text',
  key_id: 'text?',
  key_version: 'number?',
  actor: 'text',
  ip_address: 'text?',
  /** Canonical JSON. */
  metadata: 'text',
  created_at: 'number',
  hash: 'bytes',
  mac: 'bytes',
} as const;

/** An entry of the audit log, as it is stored. */
export interface EntryRow extends RowOf<typeof entry> {
  readonly tenant_id: string;
}

export const entries = tableOf<EntryRow>(entry, { name: 'audit_entries', id: ['id'], isLoose: true });

const anchor = { tenant_id: 'text', id: 'number', hash: 'bytes' } as const;

/** The last purged entry. */
export interface AnchorRow extends RowOf<typeof anchor> {
  readonly mac: Uint8Array;
}

export const anchors = tableOf<AnchorRow>(anchor, {
  name: 'audit_anchors',
  id: ['tenant_id'],
  isLoose: true,
  record: { label: ['eaas anchor v1'], nameOf: ({ tenant_id }) => tenant_id, revOf: () => null },
});

const tally = {
  tenant_id: 'text',
  key_id: 'text?',
  key_version: 'number?',
  action: 'text',
  month: 'text',
  /** Successes, recorded refusals, and entries of either kind that the purge has deleted. */
  n: 'number',
  refused: 'number',
  purged: 'number',
  last_at: 'number',
} as const;

/** How often an action was done with a version of a key in a month. Key and version are null for actions without a key. */
export type TallyRow = RowOf<typeof tally>;

export const tallies = tableOf<TallyRow>(tally, {
  name: 'tallies',
  id: ['key_id', 'key_version', 'action', 'month'],
  isLoose: true,
});

const use = { tenant_id: 'text', api_key_id: 'text', last_used_at: 'number' } as const;

/** When an API key was last used, to the minute. */
export type UseRow = RowOf<typeof use>;

export const uses = tableOf<UseRow>(use, { name: 'api_key_uses', id: ['api_key_id'], isLoose: true });
