// API keys: how they are made and hashed, and how a replica finds the API key of a token, and its tenant.
import { hash, randomBytes } from 'node:crypto';
import { formatApiKey } from '@eaas/protocol/wire';
import { LRUCache } from 'lru-cache';
import type { Admission } from '../admission/admission.ts';
import { Lookups } from '../admission/lookups.ts';
import type { Alarms } from '../base/alarms.ts';
import { SharedReads } from '../base/shared-read.ts';
import type { TenantSecrets } from '../crypto/key-hierarchy.ts';
import { type ApiKeyRow, apiKeyTable, findApiKeyByToken } from '../store/api-keys.ts';
import { databaseTime } from '../store/sql.ts';
import { withDeadline } from '../store/database.ts';
import { findTokenTenants } from '../store/directories.ts';
import type { Loaded } from '../store/rows.ts';
import { findTenant } from '../store/tenants.ts';
import type { Standing } from './caller.ts';
import { authentic, openTenant } from './integrity.ts';
import type { Tenants } from './tenants.ts';

type TokenStanding = Standing & { readonly apiKey: ApiKeyRow };

/** The time limit of a lookup in milliseconds. A lookup sends several queries, and can wait for other lookups. */
const patience = 2_900;
/** The number of API keys that one query of the directory looks up at most. */
const mostTogether = 1_000;

export class Tokens {
  readonly #tenants: Tenants;
  readonly #admission: Admission;
  readonly #alarms: Alarms;
  readonly #byToken = new LRUCache<string, { readonly tenantId: string; readonly apiKeyId: string }>({
    max: 100_000,
  });
  /** Finds the tenants of API keys that this replica has not found before. */
  readonly unknown: Lookups<string>;
  readonly #lookups = new SharedReads<TokenStanding | undefined>();

  constructor(tenants: Tenants, admission: Admission, alarms: Alarms) {
    this.#tenants = tenants;
    this.#admission = admission;
    this.#alarms = alarms;
    const look = (tokenHashes: readonly string[]) =>
      tenants.database.run((sql) => findTokenTenants(sql, tokenHashes), 2_000);
    this.unknown = new Lookups(look, mostTogether);
  }

  /** Whether this replica has found the API key before. */
  remembers(tokenHash: Uint8Array): boolean {
    return this.#byToken.get(textOf(tokenHash)) !== undefined;
  }

  /** Finds the API key of a token, and its tenant, in the cache or in the database. */
  async find(tokenHash: Uint8Array): Promise<TokenStanding | undefined> {
    return this.cached(tokenHash) ?? withDeadline(this.#lookUp(tokenHash), patience);
  }

  /** Finds the API key of a token in the cache. */
  cached(tokenHash: Uint8Array): TokenStanding | undefined {
    const known = this.#byToken.get(textOf(tokenHash));
    const view = known && this.#tenants.remembered.views.get(known.tenantId);
    const apiKey = view && this.#tenants.remembered.apiKey(view.state, known.apiKeyId);
    return apiKey && { view, state: view.state, apiKey };
  }

  #lookUp(tokenHash: Uint8Array): Promise<TokenStanding | undefined> {
    const token = textOf(tokenHash);
    return this.#lookups.run(token, async () => {
      // Callers that waited for an earlier lookup of the token find its result here.
      const cached = this.cached(tokenHash);
      if (cached) return cached;
      const found = await this.#inShare(tokenHash, (tenantId) => this.#load(tenantId, tokenHash));
      if (found) {
        const { tenant_id: tenantId, api_key_id: apiKeyId } = found.apiKey;
        this.#byToken.set(token, { tenantId, apiKeyId });
      }
      return found;
    });
  }

  /** Does not read the head: a tampered head must not block `GET /v1/audit/verify`, which reports the tampering. */
  async read(tokenHash: Uint8Array) {
    const reading = this.#inShare(tokenHash, async (tenantId) => {
      const { database, roots } = this.#tenants;
      const [row, loaded, time] = await database.snapshot((tx) =>
        Promise.all([findTenant(tx, tenantId), findApiKeyByToken(tx, tenantId, tokenHash), databaseTime(tx)]),
      );
      if (!row || !loaded) return undefined;
      const { tenant, secrets } = openTenant(roots, row);
      const apiKey = this.#authentic(secrets, loaded);
      return apiKey && { tenant, apiKey, time };
    });
    return withDeadline(reading, patience);
  }

  /**
   * Loads the API key in the share of its tenant. API keys that do not exist have no tenant and no share, so a flood of
   * them cannot delay those that do.
   */
  async #inShare<T>(tokenHash: Uint8Array, load: (tenantId: string) => Promise<T>): Promise<T | undefined> {
    const token = textOf(tokenHash);
    const tenantId = this.#byToken.get(token)?.tenantId ?? (await this.unknown.find(token));
    if (tenantId === undefined) return undefined;
    return this.#admission.shares.known_tokens.run(tenantId, 1, () => load(tenantId));
  }

  async #load(tenantId: string, tokenHash: Uint8Array): Promise<TokenStanding | undefined> {
    for (;;) {
      let loaded: Loaded<ApiKeyRow> | undefined;
      const read = await this.#tenants.read(tenantId, async (tx) => {
        loaded = await findApiKeyByToken(tx, tenantId, tokenHash);
      });
      if (!read || !loaded) return undefined;
      const view = this.#tenants.learn(read);
      // If another call loaded newer data of the tenant in the meantime, the API key must be read again.
      if (!view.state.isNamed(read.head)) continue;
      const apiKey = this.#authentic(view.state.secrets, loaded);
      if (!apiKey) return undefined;
      this.#tenants.remembered.keepApiKey(view.state, apiKey);
      return { view, state: view.state, apiKey };
    }
  }

  #authentic(secrets: TenantSecrets, loaded: Loaded<ApiKeyRow>): ApiKeyRow | undefined {
    const apiKey = authentic(secrets, apiKeyTable, loaded);
    if (!apiKey) {
      const { api_key_id: id, tenant_id: tenantId } = loaded;
      this.#alarms.tampered({ table: 'api_keys', id, tenantId });
    }
    return apiKey;
  }
}

function textOf(tokenHash: Uint8Array): string {
  return Buffer.from(tokenHash).toString('hex');
}

export function newToken() {
  const token = formatApiKey(randomBytes(32));
  return { token, tokenHash: hashApiKey(token), hint: token.slice(-4) };
}

/** A fast hash is enough, because a token has 256 random bits. A slow password hash would add no security. */
export function hashApiKey(token: string): Uint8Array {
  return hash('sha256', token, 'buffer');
}
