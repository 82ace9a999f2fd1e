// A service with its connections: what the server's jobs, commands and packages around it work on.
import * as core from '@eaas/service';
import { Alarms } from '../base/alarms.ts';
import { Counts } from '../base/entry-counts.ts';
import { timeLimit } from '../base/time-limit.ts';
import { Fair } from '../fair.ts';
import { KeyHosts } from '../plugins/key-hosts.ts';
import { keySetsOf } from '../plugins/key-sets.ts';
import { signatureVerifier } from '../plugins/signatures.ts';
import { postgresStore } from '../postgres/postgres-store.ts';
import type { Connections } from '../postgres/database.ts';

/** Uses that are not stored yet, by the ids of API keys. Times are the database's, cut to the minute. */
type Uses = Map<string, { readonly tenantId: string; readonly time: number }>;

export interface Service extends core.Service, Connections {
  readonly fair: Fair;
  readonly counts: Counts;
  readonly alarms: Alarms;
  readonly uses: Uses;
  /** Where the keys of sign-ins may be fetched. */
  readonly keyHosts: KeyHosts;
  /** The clock of this machine, which jobs compare with the database's before they erase. */
  readonly wallClock: () => number;
}

type Optional = Partial<Pick<Service, 'reads' | 'background' | 'keyHosts' | 'wallClock'>>;

export interface ServiceOptions extends Pick<Service, 'database' | 'roots'>, Optional {
  readonly isSpread?: boolean;
  readonly headMemory?: core.HeadMemory | undefined;
  /** Those that not every server has. */
  readonly plugins?: readonly core.Plugin[];
}

/** After what time a tenant with a changed row is read again, in milliseconds: the operator may have put the row right. */
const mendedAfter = 1_000;

const minute = 60_000;

/** Puts the parts of a service together. Lists and jobs use `database` unless they have their own. */
export function createService({
  database,
  reads = database,
  background = database,
  isSpread = false,
  headMemory,
  roots,
  keyHosts = new KeyHosts([]),
  wallClock = Date.now,
  plugins: further = [],
}: ServiceOptions): Service {
  const fair = new Fair();
  const counts = new Counts();
  const alarms = new Alarms();
  const uses: Uses = new Map();
  const now = (): number => service.ledger.clock.now();
  const listener: core.Listener = {
    failed: (error, _, step) => alarms.failed(error, step),
    appended: (tenantId, link) => counts.appended(tenantId, link),
    unwritten(error, _, step) {
      counts.unwritten();
      alarms.unwritten(error, step);
    },
    moved: () => counts.moved(now()),
    wentBack(tenantId, seenId, foundId) {
      counts.wentBack++;
      alarms.wentBack(tenantId, seenId, foundId);
    },
    rememberedIsPurged: (tenantId, seenId) => alarms.rememberedIsPurged(tenantId, seenId),
    tampered(table, id, tenantId) {
      alarms.tampered({ table, id, tenantId });
      setTimeout(() => service.ledger.forget(tenantId), mendedAfter).unref();
    },
    used: (tenantId, apiKeyId) => uses.set(apiKeyId, { tenantId, time: Math.floor(now() / minute) * minute }),
  };
  const plugins = [
    core.people(),
    core.issuers({
      verify: signatureVerifier(),
      keysFor: keySetsOf({ database, hosts: keyHosts, alarms, now }),
      keyHostFault: (uri) => keyHosts.faultOf(uri),
    }),
    core.intake((count) => {
      counts.intakeOpened += count;
    }),
    ...further,
  ];
  const store = postgresStore({ database, reads, background }, isSpread);
  // A call is answered within 5 s.
  const service: Service = {
    ...core.createService({
      store,
      roots,
      plugins,
      fair,
      listener,
      headMemory,
      patience: timeLimit(4_500),
    }),
    database,
    reads,
    background,
    fair,
    counts,
    alarms,
    uses,
    keyHosts,
    wallClock,
  };
  return service;
}
