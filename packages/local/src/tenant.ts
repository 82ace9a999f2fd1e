import { entryHash, genesisHash } from '@eaas/protocol/audit';
import { randomBytes } from '@eaas/protocol/internal';
import { fromHex, toHex } from '@eaas/protocol/internal-audit';
import {
  type ApiKeyFields,
  type Draft,
  type IssuerFields,
  type KeyFields,
  keyNotFound,
  type Moment,
  requireKeyId,
  type Subject,
  type SubjectFields,
} from '@eaas/protocol/service';
import {
  formatTimestamp,
  type Input,
  limits,
  type Output,
  type Receipt,
  type Route,
} from '@eaas/protocol/wire';

export interface Key {
  row: KeyFields;
  hashKey: Uint8Array | null;
  readonly versions: { readonly created_at: number; secret: Uint8Array | null }[];
}

/** A subject by its id. Its secret is null once it is erased. */
export interface StoredSubject extends SubjectFields {
  readonly secret: Uint8Array | null;
  /** The audit entry of its erasure. */
  readonly entry?: Receipt;
}

/** A subject as a call sees it. One that the tenant does not have is new, with a secret that `record` keeps. */
export class LocalSubject implements Subject {
  readonly id: string;
  readonly state: Subject['state'];
  readonly secret: Uint8Array | null;

  constructor(id: string, stored: StoredSubject | undefined) {
    this.id = id;
    this.state = stored ? (stored.secret ? 'known' : 'erased') : 'new';
    this.secret = stored ? stored.secret : randomBytes(32);
  }
}

/** Returns the secret of a subject that is known or new. */
export function secretOf(subject: Subject): Uint8Array {
  if (subject instanceof LocalSubject && subject.secret) return subject.secret;
  throw new Error(`a subject that is ${subject.state} has no secret: refuse it first`);
}

export interface ApiKey extends ApiKeyFields {
  readonly token: string;
  readonly last_used_at: number | null;
}

export type Entry = Output<'GET /v1/audit'>['logs'][number];

export interface Tenant {
  readonly tenant_id: string;
  settings: {
    readonly envelope_only: boolean;
    readonly monthly_encrypt_quota: number | null;
    readonly rev: number;
  };
  readonly clock: () => number;
  readonly keys: Map<string, Key>;
  readonly subjects: Map<string, StoredSubject>;
  /** The keys of the ids of subjects and users. */
  readonly idKeys: Readonly<Record<'subjects' | 'users', Uint8Array>>;
  readonly apiKeys: Map<string, ApiKey>;
  readonly issuers: Map<string, IssuerFields>;
  readonly log: Entry[];
  /** Whether the tenant has an audit log, API keys, usage and server mode, as in a server. */
  readonly isComplete: boolean;
  signer?: Promise<CryptoKeyPair>;
  /** Where the keys are kept, if not only in memory. */
  storage?: KeyStorage;
}

/** Keys that other processes change too. Its methods throw Refusal `unavailable`. */
interface KeyStorage {
  /** Reads what others have changed. */
  readonly refresh: () => void;
  /** Runs a change alone among all processes, and keeps its result. */
  readonly change: <T>(work: () => T) => Promise<T>;
  /** As `change`, but blocks this process while it waits, and throws InputError. */
  readonly changeNow: <T>(work: () => T) => T;
}

export interface TenantCall extends Moment {
  readonly tenant: Tenant;
  readonly apiKey: ApiKey | null;
  readonly actor: string;
  /** The entry that the call has written. */
  receipt?: Receipt;
}

export type Operations = {
  readonly [R in Route]: (call: TenantCall, input: Input<R>) => Output<R> | Promise<Output<R>>;
};

export type NewTenant = Pick<Tenant, 'settings' | 'clock' | 'isComplete'> &
  Partial<Pick<Tenant, 'tenant_id' | 'idKeys'>>;

/** Makes a tenant without keys. */
export function newTenant(fields: NewTenant): Tenant {
  return {
    tenant_id: crypto.randomUUID(),
    keys: new Map(),
    subjects: new Map(),
    idKeys: { subjects: randomBytes(32), users: randomBytes(32) },
    apiKeys: new Map(),
    issuers: new Map(),
    log: [],
    ...fields,
  };
}

export function callBy(tenant: Tenant, by: ApiKey | 'operator' | 'system'): TenantCall {
  const { log, clock } = tenant;
  const time = Math.max(clock(), Date.parse(log.at(-1)?.created_at ?? formatTimestamp(0)));
  const named = typeof by === 'string' ? { apiKey: null, actor: by } : { apiKey: by, actor: by.api_key_id };
  return { tenant, time, entryId: log.length + 1, ...named };
}

export function requireKey({ tenant, apiKey }: TenantCall, text: string): Key {
  const key = tenant.keys.get(requireKeyId(apiKey, text));
  if (!key) throw keyNotFound();
  return key;
}

export function pageOf<Item>(
  all: readonly Item[],
  {
    limit = limits.pageDefault,
    offset = 0,
  }: { readonly limit?: number | undefined; readonly offset?: number | undefined },
) {
  const items = all.toReversed().slice(offset, offset + limit);
  return { items, page: { count: items.length, total: all.length, limit, offset } };
}

export function record(call: TenantCall, draft: Draft | null): void {
  const { tenant, time } = call;
  const created = draft?.creates?.subject;
  if (created)
    tenant.subjects.set(created.id, { created_at: time, erased_at: null, secret: secretOf(created) });
  if (draft && tenant.isComplete) writeEntry(call, draft);
}

/** Writes an entry, and returns its receipt. */
export function writeEntry(call: TenantCall, draft: Draft): Receipt {
  const { tenant, actor, time } = call;
  const { log, tenant_id } = tenant;
  const metadata = draft.creates?.metadata ?? draft.metadata;
  const entry: Omit<Entry, 'hash'> = {
    id: log.length + 1,
    tenant_id,
    action: draft.action,
    key_id: draft.keyId,
    key_version: draft.keyVersion,
    actor,
    ip_address: actor === 'operator' || actor === 'system' ? null : '127.0.0.1',
    metadata: JSON.parse(metadata) as Entry['metadata'],
    created_at: formatTimestamp(time),
  };
  const hash = toHex(entryHash(hashOf(tenant, log.length), entry));
  log.push({ ...entry, hash });
  return (call.receipt = { id: entry.id, hash });
}

export function hashOf({ log, tenant_id }: Tenant, id: number): Uint8Array {
  const hash = log[id - 1]?.hash;
  return hash === undefined ? genesisHash(tenant_id) : fromHex(hash);
}

export const isDone = ({ metadata }: Entry): boolean => metadata['outcome'] !== 'refused';
