// What a replica remembers: states, keys, API keys and subjects in one budget of memory, and for longer the newest head of each log.
import { LRUCache } from 'lru-cache';
import { lastUsed } from '../base/last-used.ts';
import { sameBytes } from '../crypto/hmac.ts';
import type { ApiKeyRow } from '../store/api-keys.ts';
import type { IssuerRow } from '../store/issuers.ts';
import type { SeenHead } from '../store/heads.ts';
import { rowIdOf } from '../store/subjects.ts';
import type { SubjectMaterial } from './newcomers.ts';
import type { KeyMaterial, TenantState, TenantView } from './tenant-view.ts';

const budget = 64 * 1024 * 1024;

// Estimated sizes of cached objects in bytes. A key with one version was measured at 2.9 kB.
const [viewBytes, apiKeyBytes, keyBytes, versionBytes, subjectBytes] = [6_000, 1_500, 2_500, 1_000, 900];
/** How long data stays that nobody uses, in milliseconds. */
const unusedFor = 300_000;

/**
 * After a change of a tenant, the changed rows or all rows of the tenant leave the cache, so that no outdated row is
 * used.
 */
export class Remembered {
  readonly views: LRUCache<string, TenantView>;
  readonly #keys: LRUCache<string, KeyMaterial>;
  readonly #apiKeys: LRUCache<string, ApiKeyRow>;
  readonly #issuers: LRUCache<string, IssuerRow>;
  readonly #subjects: LRUCache<string, SubjectMaterial>;

  constructor(bytes = budget) {
    this.views = cacheOf((5 / 16) * bytes, () => viewBytes);
    this.#keys = cacheOf((6 / 16) * bytes, keyCost);
    this.#apiKeys = cacheOf((2 / 16) * bytes, (apiKey) => apiKeyCost(apiKey));
    this.#issuers = cacheOf((1 / 16) * bytes, issuerCost);
    this.#subjects = cacheOf((2 / 16) * bytes, () => subjectBytes);
  }

  /**
   * Removes the data that nobody has used for five minutes. A replica without traffic would otherwise keep keys that
   * another replica has erased.
   */
  forgetUnused(): void {
    for (const cache of [this.views, this.#keys, this.#apiKeys, this.#issuers, this.#subjects])
      cache.purgeStale();
  }

  key(state: TenantState, keyId: string): KeyMaterial | undefined {
    return this.#keys.get(idOf(state, keyId));
  }

  /**
   * Call `keepKey` again when the key gets more versions or its public key, so that the memory budget counts the new
   * size.
   */
  keepKey(state: TenantState, key: KeyMaterial): void {
    if (!this.#isCurrent(state)) return;
    const id = idOf(state, key.row.key_id);
    // The cache measures a value only when it is new.
    this.#keys.delete(id);
    this.#keys.set(id, key);
  }

  apiKey(state: TenantState, apiKeyId: string): ApiKeyRow | undefined {
    return this.#apiKeys.get(idOf(state, apiKeyId));
  }

  keepApiKey(state: TenantState, apiKey: ApiKeyRow): void {
    if (this.#isCurrent(state)) this.#apiKeys.set(idOf(state, apiKey.api_key_id), apiKey);
  }

  issuer(state: TenantState, issuerId: string): IssuerRow | undefined {
    return this.#issuers.get(idOf(state, issuerId));
  }

  keepIssuer(state: TenantState, issuer: IssuerRow): void {
    if (this.#isCurrent(state)) this.#issuers.set(idOf(state, issuer.issuer_id), issuer);
  }

  subject(state: TenantState, subjectId: string): SubjectMaterial | undefined {
    return this.#subjects.get(idOf(state, rowIdOf(subjectId)));
  }

  keepSubject(state: TenantState, subject: SubjectMaterial): void {
    if (this.#isCurrent(state)) this.#subjects.set(idOf(state, rowIdOf(subject.id)), subject);
  }

  drop(state: TenantState, rowIds: readonly string[]): void {
    for (const rowId of rowIds) {
      this.#keys.delete(idOf(state, rowId));
      this.#apiKeys.delete(idOf(state, rowId));
      this.#issuers.delete(idOf(state, rowId));
      this.#subjects.delete(idOf(state, rowId));
      state.newcomers.forget(rowId);
    }
  }

  #isCurrent(state: TenantState): boolean {
    return this.views.get(state.tenant.tenant_id)?.state === state;
  }
}

function cacheOf<Value extends object>(bytes: number, costOf: (value: Value) => number) {
  return new LRUCache<string, Value>({
    maxSize: Math.ceil(bytes),
    sizeCalculation: costOf,
    ttl: unusedFor,
    // Reads the clock at each use. By default, the cache sets a timer for each millisecond in which it is used.
    ttlResolution: 0,
    updateAgeOnGet: true,
  });
}

function idOf({ epoch }: TenantState, id: string): string {
  return `${epoch} ${id}`;
}

function keyCost({ versions, intakePublicKey = '' }: KeyMaterial): number {
  return keyBytes + versions.size * versionBytes + intakePublicKey.length;
}

function apiKeyCost({ key_ids, allowed_origins }: Pick<ApiKeyRow, 'key_ids' | 'allowed_origins'>): number {
  const origins = allowed_origins ?? [];
  return apiKeyBytes + 80 * (key_ids?.length ?? 0) + origins.reduce((sum, { length }) => sum + 2 * length, 0);
}

/** An issuer is kept as text and parsed, with its keys. */
function issuerCost(issuer: IssuerRow): number {
  const { jwks, require } = issuer;
  return apiKeyCost(issuer) + 4 * (jwks?.length ?? 0) + 4 * (require?.length ?? 0);
}

interface LastHead {
  readonly id: number;
  readonly hash: Uint8Array;
  isLost: boolean;
}

/**
 * The newest head of each audit log is remembered longer than other data. If a log later has an older head, a restore
 * has removed entries.
 */
export class Timelines {
  readonly #last = lastUsed<LastHead>(50_000);
  wentBack = 0;

  last(tenantId: string): LastHead | undefined {
    return this.#last.get(tenantId);
  }

  note(tenantId: string, { id, hash }: { readonly id: number; readonly hash: Uint8Array }): void {
    const last = this.#last.get(tenantId);
    if (last && !last.isLost && last.id >= id) return;
    this.#last.set(tenantId, { id, hash, isLost: false });
  }

  continues(tenantId: string, asked: LastHead | undefined, seen: SeenHead): boolean {
    if (!asked || asked.isLost) return true;
    const then = seen.id === asked.id ? seen.hash : seen.known_hash;
    if (seen.id >= asked.id && (!then || sameBytes(then, asked.hash))) return true;
    this.wentBack++;
    asked.isLost = true;
    const last = this.#last.get(tenantId);
    if (last) last.isLost = true;
    return false;
  }

  forget(tenantId: string): void {
    this.#last.delete(tenantId);
  }
}
