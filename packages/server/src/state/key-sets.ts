// The key sets of sign-ins that a host publishes: remembered by a replica, stored for all, and fetched again when they are old
// or a token names a key that is not among them. One fetch runs at a time for an issuer, and holds up nobody else.
import { type IssuerKey, namesUnknownKey, openKeys, type PresentedToken } from '@eaas/protocol/service';
import { LRUCache } from 'lru-cache';
import type { Admission } from '../admission/admission.ts';
import type { Alarms } from '../base/alarms.ts';
import { lastUsed } from '../base/last-used.ts';
import { Refusal } from '../base/refusal.ts';
import type { Database } from '../store/database.ts';
import { findKeySet, type KeySetRow, keySetTable, putKeySet } from '../store/key-sets.ts';
import type { Clock } from './clock.ts';
import { macHolds, seal } from './integrity.ts';
import { type KeyHosts, KeysNotFetched } from './key-hosts.ts';
import type { TenantState } from './tenant-view.ts';

interface KeySet extends Pick<KeySetRow, 'jwks' | 'fetched_at'> {
  readonly keys: readonly IssuerKey[];
}

/** An issuer whose keys are fetched. */
interface Publisher {
  readonly issuer_id: string;
  readonly jwks_uri: string;
}

/** For how long a key set counts without another fetch, and for how long if its host is down, in milliseconds. */
const [fresh, usable] = [600_000, 86_400_000];
/** The least time between two fetches for one issuer, in milliseconds. */
const pause = 30_000;
const [mostBytes, mostNames] = [16 * 1024 * 1024, 50_000];

export class KeySets {
  readonly #database: Database;
  readonly #hosts: KeyHosts;
  readonly #admission: Admission;
  readonly #clock: Clock;
  readonly #alarms: Alarms;
  readonly #known = new LRUCache<string, KeySet>({
    maxSize: mostBytes,
    sizeCalculation: ({ jwks }) => 4 * jwks.length,
  });
  /** When this replica last fetched, or found the fetch of another one. */
  readonly #triedAt = lastUsed<number>(mostNames);
  readonly #running = new Map<string, Promise<void>>();

  constructor(database: Database, hosts: KeyHosts, admission: Admission, clock: Clock, alarms: Alarms) {
    this.#database = database;
    this.#hosts = hosts;
    this.#admission = admission;
    this.#clock = clock;
    this.#alarms = alarms;
  }

  /** Returns the keys of an issuer for a token. Throws Refusal if none are known that were fetched within a day. */
  async keysFor(state: TenantState, issuer: Publisher, token: PresentedToken): Promise<readonly IssuerKey[]> {
    if (this.#hosts.faultOf(issuer.jwks_uri) !== undefined) {
      this.#alarms.keysNotFetched(
        issuer.issuer_id,
        state.tenant.tenant_id,
        'EAAS_ISSUER_HOSTS does not allow it',
      );
      throw unreachable();
    }
    const name = `${state.tenant.tenant_id} ${issuer.issuer_id} ${issuer.jwks_uri}`;
    while (!this.#fits(this.#known.get(name), token) && this.#mayTry(name)) {
      const running = this.#running.get(name) ?? this.#refresh(name, state, issuer, token);
      await running;
    }
    const set = this.#known.get(name);
    if (!set || this.#ageOf(set) > usable) throw unreachable();
    return set.keys;
  }

  /** Clocks of replicas differ a little, so a set can seem to come from the future. */
  #ageOf({ fetched_at }: KeySet): number {
    return Math.abs(this.#clock.now() - fetched_at);
  }

  #fits(set: KeySet | undefined, token: PresentedToken): boolean {
    return set !== undefined && this.#ageOf(set) <= fresh && !namesUnknownKey(set.keys, token);
  }

  #mayTry(name: string): boolean {
    const triedAt = this.#triedAt.get(name) ?? -Infinity;
    return this.#running.has(name) || Math.abs(this.#clock.now() - triedAt) >= pause;
  }

  #refresh(name: string, state: TenantState, issuer: Publisher, token: PresentedToken): Promise<void> {
    const running = this.#update(name, state, issuer, token).finally(() => this.#running.delete(name));
    this.#running.set(name, running);
    return running;
  }

  /** Takes over what another replica has stored, or fetches. */
  async #update(
    name: string,
    state: TenantState,
    { issuer_id, jwks_uri }: Publisher,
    token: PresentedToken,
  ): Promise<void> {
    const { tenant_id } = state.tenant;
    const inShare = <T>(work: () => Promise<T>) =>
      this.#admission.shares.known_tokens.run(tenant_id, 1, work);
    const stored = await inShare(() => this.#load(state, issuer_id));
    if (stored?.jwks_uri === jwks_uri) this.#keep(name, stored);
    const known = this.#known.get(name);
    if (this.#fits(known, token)) return;
    const fetched_at = this.#clock.now();
    const isNew = known !== undefined && this.#ageOf(known) < pause;
    this.#triedAt.set(name, isNew ? known.fetched_at : fetched_at);
    if (isNew) return;
    try {
      const jwks = await this.#hosts.fetch(jwks_uri);
      this.#keep(name, { jwks, fetched_at });
      const row = seal(state.secrets, keySetTable, { tenant_id, issuer_id, jwks_uri, jwks, fetched_at });
      await inShare(() => this.#database.run((sql) => putKeySet(sql, row)));
    } catch (error) {
      if (!(error instanceof KeysNotFetched)) throw error;
      this.#alarms.keysNotFetched(issuer_id, tenant_id, error.message);
    }
  }

  #keep(name: string, { jwks, fetched_at }: Pick<KeySetRow, 'jwks' | 'fetched_at'>): void {
    const known = this.#known.get(name);
    if (known && known.fetched_at >= fetched_at) return;
    // The same keys stay the same objects, because their imported forms are remembered.
    const keys = known?.jwks === jwks ? known.keys : openKeys(jwks);
    this.#known.set(name, { jwks, fetched_at, keys });
  }

  async #load(state: TenantState, issuerId: string): Promise<KeySetRow | undefined> {
    const { tenant_id: tenantId } = state.tenant;
    const row = await this.#database.run((sql) => findKeySet(sql, tenantId, issuerId));
    if (!row || macHolds(state.secrets, keySetTable, row)) return row;
    this.#alarms.tampered({ table: keySetTable.name, id: issuerId, tenantId });
    return undefined;
  }
}

function unreachable(): Refusal {
  return new Refusal(
    'unavailable',
    'The service cannot fetch the public keys of this sign-in now, and has none from the last day. Try again in a moment; ' +
      'the log of the service says why.',
  );
}
