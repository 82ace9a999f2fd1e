import { Slots } from '../slots.ts';
import { type ApiKeyRow, findApiKeyByToken } from '../store/api-keys.ts';
import type { Database } from '../store/database.ts';
import { findHead, type HeadRow } from '../store/heads.ts';
import { findTenant, type TenantRow } from '../store/tenants.ts';

/** An API key as it is stored, its tenant and the head, of one moment after `startedAt`. */
export interface FoundToken {
  readonly startedAt: number;
  readonly apiKey: ApiKeyRow;
  readonly tenant: TenantRow;
  readonly head: HeadRow;
}

/** Looks tokens up in the database: so few at a time that those that nobody knows crowd out nobody. */
export class TokenLookups {
  readonly #database: Database;
  readonly #slots = new Slots(5, 1_000);
  readonly #running = new Map<string, Promise<FoundToken | undefined>>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Who comes while a token is looked up shares what is found; that there is none is learnt by who asked before. */
  async find(token: string, tokenHash: Uint8Array): Promise<FoundToken | undefined> {
    const shared = await this.#running.get(token)?.catch(() => undefined);
    if (shared) return shared;
    const own = this.#slots.run(() => this.#read(tokenHash));
    this.#running.set(token, own);
    try {
      return await own;
    } finally {
      if (this.#running.get(token) === own) this.#running.delete(token);
    }
  }

  async #read(tokenHash: Uint8Array): Promise<FoundToken | undefined> {
    const startedAt = performance.now();
    return this.#database.snapshot(async (tx) => {
      const apiKey = await findApiKeyByToken(tx, tokenHash);
      if (!apiKey) return undefined;
      const [tenant, head] = await Promise.all([
        findTenant(tx, apiKey.tenant_id),
        findHead(tx, apiKey.tenant_id),
      ]);
      return tenant && head && { startedAt, apiKey, tenant, head };
    });
  }
}
