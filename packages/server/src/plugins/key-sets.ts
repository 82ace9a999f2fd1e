// The key sets of sign-ins that a host publishes: remembered by a replica, stored for all, and fetched again when they are old
// or a token names a key that is not among them. One fetch runs at a time for an issuer, and holds up nobody else.
import {
  checkRow,
  type IssuerKey,
  type IssuerRow,
  namesUnknownKey,
  openKeys,
  type PresentedToken,
  Refusal,
  Remembered,
  withMac,
  type TenantSecrets,
} from '@eaas/service';
import type { Alarms } from '../base/alarms.ts';
import { HostFailed } from '../base/ask-host.ts';
import type { Database } from '../postgres/database.ts';
import { type KeySetRow, keySets } from '../postgres/tables.ts';
import type { KeyHosts } from './key-hosts.ts';

interface KeySet extends Pick<KeySetRow, 'jwks' | 'fetched_at'> {
  readonly keys: readonly IssuerKey[];
}

/** An issuer whose keys are fetched. */
type Publisher = Omit<KeySetRow, 'jwks' | 'fetched_at'>;

/** What key sets are fetched and stored with. */
export interface KeySetOptions {
  readonly database: Pick<Database, 'run'>;
  readonly hosts: KeyHosts;
  readonly alarms: Pick<Alarms, 'keysNotFetched' | 'tampered'>;
  /** The database's time. */
  readonly now: () => number;
}

/** For how long a key set counts without another fetch, in milliseconds. */
const fresh = 600_000;
/** For how long a key set counts if its host is down, in milliseconds. */
const usable = 86_400_000;
/** The least time between two fetches for one issuer, in milliseconds. */
const pause = 30_000;
/** How many key sets a replica remembers. */
const mostSets = 500;
/** Of how many key sets a replica remembers when it tried to fetch them. */
const mostNames = 50_000;

/** Returns what finds the keys of an issuer for a token. It throws Refusal if none are known that were fetched within a day. */
export function keySetsOf({ database, hosts, alarms, now }: KeySetOptions) {
  const remembered = new Remembered<KeySet>(mostSets);
  /** When this replica last fetched, or found the fetch of another one. */
  const triedAt = new Remembered<number>(mostNames);
  const running = new Map<string, Promise<void>>();

  /** Clocks of replicas differ a little, so a set can seem to come from the future. */
  const ageOf = ({ fetched_at }: KeySet): number => Math.abs(now() - fetched_at);
  const fits = (set: KeySet | undefined, token: PresentedToken): boolean =>
    set !== undefined && ageOf(set) <= fresh && !namesUnknownKey(set.keys, token);
  const mayTry = (name: string): boolean =>
    running.has(name) || Math.abs(now() - (triedAt.get(name) ?? -Infinity)) >= pause;

  function keep(name: string, { jwks, fetched_at }: Pick<KeySetRow, 'jwks' | 'fetched_at'>): void {
    const known = remembered.get(name);
    if (known && known.fetched_at >= fetched_at) return;
    // The same keys stay the same objects, because their imported forms are remembered.
    const keys = known?.jwks === jwks ? known.keys : openKeys(jwks);
    remembered.set(name, { jwks, fetched_at, keys });
  }

  async function load({ tenant_id: tenantId, issuer_id: id }: Publisher, secrets: TenantSecrets) {
    const [row] = await database.run(
      (sql) =>
        sql<KeySetRow[]>`select * from eaas.key_sets where tenant_id = ${tenantId} and issuer_id = ${id}`,
    );
    try {
      return row && checkRow(secrets, keySets, { row, newest_rev: null });
    } catch {
      alarms.tampered({ table: keySets.name, id, tenantId });
      return undefined;
    }
  }

  async function store(content: KeySetRow, secrets: TenantSecrets): Promise<void> {
    const row = withMac(secrets, keySets, content) as KeySetRow & { readonly mac: Uint8Array };
    await database.run(
      (sql) => sql`insert into eaas.key_sets ${sql({ ...row })} on conflict (tenant_id, issuer_id) do update
        set ${sql({ ...row }, 'jwks_uri', 'jwks', 'fetched_at', 'mac')}`,
    );
  }

  /** Takes over what another replica has stored, or fetches. */
  async function update(name: string, issuer: Publisher, token: PresentedToken, secrets: TenantSecrets) {
    const { tenant_id, issuer_id, jwks_uri } = issuer;
    const stored = await load(issuer, secrets);
    if (stored?.jwks_uri === jwks_uri) keep(name, stored);
    const known = remembered.get(name);
    if (fits(known, token)) return;
    const fetched_at = now();
    const isNew = known !== undefined && ageOf(known) < pause;
    triedAt.set(name, isNew ? known.fetched_at : fetched_at);
    if (isNew) return;
    try {
      const jwks = await hosts.fetch(jwks_uri);
      keep(name, { jwks, fetched_at });
      await store({ tenant_id, issuer_id, jwks_uri, jwks, fetched_at }, secrets);
    } catch (error) {
      if (!(error instanceof HostFailed)) throw error;
      alarms.keysNotFetched(issuer_id, tenant_id, error.message);
    }
  }

  return async (
    { tenant_id, issuer_id, jwks_uri }: IssuerRow,
    token: PresentedToken,
    secrets: TenantSecrets,
  ): Promise<readonly IssuerKey[]> => {
    if (jwks_uri === null) return [];
    if (hosts.faultOf(jwks_uri) !== undefined) {
      alarms.keysNotFetched(issuer_id, tenant_id, 'EAAS_ISSUER_HOSTS does not allow it');
      throw unreachable();
    }
    const name = `${tenant_id} ${issuer_id} ${jwks_uri}`;
    while (!fits(remembered.get(name), token) && mayTry(name)) {
      const begun =
        running.get(name) ??
        update(name, { tenant_id, issuer_id, jwks_uri }, token, secrets).finally(() => running.delete(name));
      running.set(name, begun);
      await begun;
    }
    const set = remembered.get(name);
    if (!set || ageOf(set) > usable) throw unreachable();
    return set.keys;
  };
}

const unreachable = (): Refusal =>
  new Refusal(
    'unavailable',
    'The service cannot fetch the public keys of this sign-in now, and has none from the last day. Try again in a moment; ' +
      'the log of the service says why.',
  );
