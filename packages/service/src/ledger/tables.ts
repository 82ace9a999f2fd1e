// The tables of the core: the tenant, its keys with their versions, its API keys, and the ends and entries of its log.
import type { Output, Permission } from '@eaas/protocol/wire';
import { type RowOf, tableOf } from './table.ts';

const tenant = {
  tenant_id: 'uuid',
  name: 'text',
  envelope_only: 'boolean',
  monthly_encrypt_quota: 'number?',
  created_at: 'number',
  /** Names the root key that seals the tenant's secret. */
  root_id: 'bytes',
  sealed_secret: 'bytes',
  /** In each table the id of the entry that records the last change of the row. */
  rev: 'number',
} as const;

/** The row of a tenant. */
export type TenantRow = RowOf<typeof tenant>;

export const tenants = tableOf<TenantRow>('tenants', ['tenant_id'], tenant);

const key = {
  key_id: 'uuid',
  tenant_id: 'uuid',
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

/** The row of a key. Plugins add columns: see `Field` in plugin.ts. */
export interface KeyRow extends RowOf<typeof key> {
  readonly status: Output<'POST /v1/keys'>['status'];
}

export const keys = tableOf<KeyRow>('keys', ['key_id'], key);

const keyVersion = {
  tenant_id: 'uuid',
  key_id: 'uuid',
  key_version: 'number',
  created_at: 'number',
  /** Null once the key is destroyed. */
  sealed: 'bytes?',
} as const;

/** A version of a key. */
export type KeyVersionRow = RowOf<typeof keyVersion>;

export const keyVersions = tableOf<KeyVersionRow>('key_versions', ['key_id', 'key_version'], keyVersion);

/** The last columns of what holds rights: since when, until when and by whom it has them, and the entries that say so. */
export const granted = {
  expires_at: 'number?',
  created_at: 'number',
  created_by: 'text',
  revoked_at: 'number?',
  /** The ids of the entries that record the creation, and the last change. */
  created_id: 'number',
  rev: 'number',
} as const;

const apiKey = {
  api_key_id: 'uuid',
  tenant_id: 'uuid',
  name: 'text',
  /** The last four characters of the API key's token. */
  hint: 'text',
  token_hash: 'bytes',
  permissions: 'texts',
  key_ids: 'texts?',
  allowed_origins: 'texts?',
  ...granted,
} as const;

/** The row of an API key. */
export interface ApiKeyRow extends RowOf<typeof apiKey> {
  readonly permissions: readonly Permission[];
}

export const apiKeys = tableOf<ApiKeyRow>('api_keys', ['api_key_id'], apiKey, { foundBy: 'token_hash' });

const entry = {
  id: 'number',
  action: 'text',
  key_id: 'uuid?',
  key_version: 'number?',
  actor: 'text',
  ip_address: 'text?',
  /** Canonical JSON. */
  metadata: 'text',
  created_at: 'number',
  /** 16 random bytes, which the digest covers. */
  salt: 'bytes',
  hash: 'bytes',
  mac: 'bytes',
} as const;

/** An entry of the audit log, as it is stored. */
export interface EntryRow extends RowOf<typeof entry> {
  readonly tenant_id: string;
}

export const entries = tableOf<EntryRow>('audit_entries', ['id'], entry, { isLoose: true });

const head = {
  tenant_id: 'uuid',
  id: 'number',
  hash: 'bytes',
  /** The masked sum of all rows. */
  sum: 'bytes',
  /** 16 random bytes: names the link that ends here, even if another has the same entries, and masks its sum. */
  nonce: 'bytes',
  created_at: 'number',
  /** The quota's month, and its count of `encrypt` calls. */
  month: 'text',
  encrypts: 'number',
} as const;

/** The newest entry of a tenant's log, with what is true of all its rows. */
export interface HeadRow extends RowOf<typeof head> {
  readonly mac: Uint8Array;
}

export const heads = tableOf<HeadRow>('audit_heads', ['tenant_id'], head, {
  isLoose: true,
  label: ['eaas head v1'],
});

const anchor = { tenant_id: 'uuid', id: 'number', hash: 'bytes' } as const;

/** The last purged entry. */
export interface AnchorRow extends RowOf<typeof anchor> {
  readonly mac: Uint8Array;
}

export const anchors = tableOf<AnchorRow>('audit_anchors', ['tenant_id'], anchor, {
  isLoose: true,
  label: ['eaas anchor v1'],
});

const tally = {
  tenant_id: 'uuid',
  key_id: 'uuid?',
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

export const tallies = tableOf<TallyRow>('tallies', ['key_id', 'key_version', 'action', 'month'], tally, {
  isLoose: true,
});

const use = { tenant_id: 'uuid', api_key_id: 'uuid', last_used_at: 'number' } as const;

/** When an API key was last used, to the minute. */
export const uses = tableOf<RowOf<typeof use>>('api_key_uses', ['api_key_id'], use, { isLoose: true });
