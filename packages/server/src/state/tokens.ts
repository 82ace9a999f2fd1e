// API keys: how they are made and hashed, and how a replica finds the API key of a token, and its tenant.
import { hash, randomBytes } from 'node:crypto';
import { formatApiKey } from '@eaas/protocol/wire';
import type { Admission } from '../admission/admission.ts';
import { Lookups } from '../admission/lookups.ts';
import type { Alarms } from '../base/alarms.ts';
import { lastUsed } from '../base/last-used.ts';
import { SharedReads } from '../base/shared-read.ts';
import type { TenantSecrets } from '../crypto/key-hierarchy.ts';
import { type ApiKeyRow, apiKeyTable, findApiKeyByToken } from '../store/api-keys.ts';
import { databaseTime, type Transaction } from '../store/sql.ts';
import { withDeadline } from '../store/database.ts';
import type { Loaded, RecordedRow, Table } from '../store/rows.ts';
import { findTenant, findTenantsOf } from '../store/tenants.ts';
import type { Standing } from './caller.ts';
import { authentic, openTenant } from './integrity.ts';
import type { Tenants } from './tenants.ts';
import { timeLimit } from '../base/time-limit.ts';

type TokenStanding = Standing & { readonly apiKey: ApiKeyRow };

/** The time limit of a lookup in milliseconds. A lookup sends several queries, and can wait for other lookups. */
const patience = 2_900;
/** The number of unknown API keys and issuers that one query looks up at most. */
const mostTogether = 1_000;

export class Tokens {
  readonly #tenants: Tenants;
  readonly #admission: Admission;
  readonly #alarms: Alarms;
  readonly #byToken = lastUsed<{ readonly tenantId: string; readonly apiKeyId: string }>(100_000);
  /** Finds the tenants of API keys and issuers that this replica has not found before. */
  readonly unknown: Lookups<string>;
  readonly #lookups = new SharedReads<TokenStanding | undefined>();

  constructor(tenants: Tenants, admission: Admission, alarms: Alarms) {
    this.#tenants = tenants;
    this.#admission = admission;
    this.#alarms = alarms;
    const look = (names: readonly string[]) =>
      tenants.database.run((sql) => findTenantsOf(sql, names), 2_000);
    this.unknown = new Lookups(look, mostTogether);
  }

  /** Whether this replica has found the API key before. */
  remembers(tokenHash: Uint8Array): boolean {
    return this.#byToken.get(textOf(tokenHash)) !== undefined;
  }

  /** Finds the API key of a token, and its tenant, in the cache or in the database. */
  async find(tokenHash: Uint8Array): Promise<TokenStanding | undefined> {
    return this.cached(tokenHash) ?? withDeadline(this.#lookUp(tokenHash), timeLimit(patience));
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
      const found = await this.inShare(token, this.#byToken.get(token)?.tenantId, (tenantId) =>
        this.#load(tenantId, tokenHash),
      );
      if (found) {
        const { tenant_id: tenantId, api_key_id: apiKeyId } = found.apiKey;
        this.#byToken.set(token, { tenantId, apiKeyId });
      }
      return found;
    });
  }

  /** Does not read the head: a tampered head must not block `GET /v1/audit/verify`, which reports the tampering. */
  async read(tokenHash: Uint8Array) {
    const token = textOf(tokenHash);
    const reading = this.inShare(token, this.#byToken.get(token)?.tenantId, async (tenantId) => {
      const { database, roots } = this.#tenants;
      const [row, loaded, time] = await database.snapshot((tx) =>
        Promise.all([findTenant(tx, tenantId), findApiKeyByToken(tx, tenantId, tokenHash), databaseTime(tx)]),
      );
      if (!row || !loaded) return undefined;
      const { tenant, secrets } = openTenant(roots, row);
      const apiKey = this.#authentic(secrets, apiKeyTable, loaded);
      return apiKey && { tenant, apiKey, time };
    });
    return withDeadline(reading, timeLimit(patience));
  }

  /**
   * Loads what the hash of a token or the id of an issuer names, in the share of its tenant, which is `known` or looked
   * up. What does not exist has no tenant and no share, so a flood of it cannot delay what does.
   */
  async inShare<T>(
    name: string,
    known: string | undefined,
    load: (tenantId: string) => Promise<T>,
  ): Promise<T | undefined> {
    const tenantId = known ?? (await this.unknown.find(name));
    if (tenantId === undefined) return undefined;
    return this.#admission.shares.known_tokens.run(tenantId, 1, () => load(tenantId));
  }

  async #load(tenantId: string, tokenHash: Uint8Array): Promise<TokenStanding | undefined> {
    const found = await this.loadRow(tenantId, apiKeyTable, (tx) =>
      findApiKeyByToken(tx, tenantId, tokenHash),
    );
    if (!found) return undefined;
    const { view, state, row: apiKey } = found;
    this.#tenants.remembered.keepApiKey(state, apiKey);
    return { view, state, apiKey };
  }

  /** Loads a row of a tenant, and the state in which it stands. A row that was changed is reported, and not returned. */
  async loadRow<Row extends RecordedRow>(
    tenantId: string,
    table: Table<Row>,
    find: (tx: Transaction) => Promise<Loaded<Row> | undefined>,
  ) {
    for (;;) {
      let loaded: Loaded<Row> | undefined;
      const read = await this.#tenants.read(tenantId, async (tx) => {
        loaded = await find(tx);
      });
      if (!read || !loaded) return undefined;
      const view = this.#tenants.learn(read);
      // If another call loaded newer data of the tenant in the meantime, the row must be read again.
      if (!view.state.isNamed(read.head)) continue;
      const row = this.#authentic(view.state.secrets, table, loaded);
      return row && { view, state: view.state, row };
    }
  }

  #authentic<Row extends RecordedRow>(
    secrets: TenantSecrets,
    table: Table<Row>,
    loaded: Loaded<Row>,
  ): Row | undefined {
    const row = authentic(secrets, table, loaded);
    if (!row) {
      const id = String(loaded[table.id as keyof Row]);
      this.#alarms.tampered({ table: table.name, id, tenantId: loaded.tenant_id });
    }
    return row;
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
