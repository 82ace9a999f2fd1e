// A service: a store, root keys, plugins, and the ledger between them. Servers and the local service make one.
import { type Calls, callsOf } from './calls.ts';
import type { Roots } from './crypto/tenant-secrets.ts';
import type { Listener } from './ledger/guess.ts';
import type { HeadMemory } from './ledger/head-memory.ts';
import { type Clock, Ledger } from './ledger/ledger.ts';
import type { Store } from './ledger/store.ts';
import {
  anchors,
  apiKeys,
  entries,
  type KeyRow,
  keys,
  keyVersions,
  tallies,
  tenants,
  uses,
} from './ledger/tables.ts';
import { type Table, tableOf } from './ledger/table.ts';
import { apiKeyCreation, apiKeyOperations } from './operations/api-keys.ts';
import { auditOperations } from './operations/audit.ts';
import { batchOperations, dataKeyOperations, serverModeOperations } from './operations/data-keys.ts';
import { keyOperations } from './operations/keys.ts';
import type { Operations } from './operation.ts';
import type { Field, Plugin, Suite } from './plugin.ts';
import { type Tokens, tokensOf } from './caller.ts';

/** Lets others go first. Long loops ask after each item whether it is their turn to wait. */
export interface Fair {
  isOver(): boolean;
  /** Waits for a turn. Never rejects. */
  pause(tenantId: string): Promise<void>;
}

/** What every operation needs. */
export interface Service extends Required<Omit<ServiceOptions, 'patience' | 'clock' | 'headMemory'>> {
  readonly ledger: Ledger;
  readonly tokens: Tokens;
  /** All tables whose rows decisions read, by their names. */
  readonly tables: ReadonlyMap<string, Table<never>>;
  /** The columns of keys that plugins add. */
  readonly fields: readonly Field[];
  /** Kinds of wrapped keys beside the service's own. */
  readonly suites: readonly Suite[];
  readonly calls: Calls;
}

/** What a service is made of. */
interface ServiceOptions {
  readonly store: Store;
  readonly roots: Roots;
  readonly plugins?: readonly Plugin[];
  readonly fair?: Fair;
  /** For how long a call waits for its entry, in milliseconds. Defaults to 4,500: then it is answered within 5 s. */
  readonly patience?: number;
  readonly listener?: Partial<Listener>;
  /** Remembers the newest entries of logs when the process ends. Absent: nothing does. */
  readonly headMemory?: HeadMemory | undefined;
  /** The store's time. Absent: it is estimated between calls of the store. */
  readonly clock?: Clock;
}

const alone: Fair = { isOver: () => false, pause: () => Promise.resolve() };

/** The operations that a service has everywhere. */
const core = [keyOperations, dataKeyOperations, batchOperations];
/** The operations that it has beside them on a server. Plugins bring the others. */
export const serverOperations = [apiKeyCreation, apiKeyOperations, serverModeOperations, auditOperations];

/** Puts the service of a server together. */
export const createService = (options: ServiceOptions): Service =>
  createServiceWith(serverOperations, options);

/** Puts a service together. What it has no operations for, as they weigh in an app's bundle, its door must refuse. */
export function createServiceWith(
  further: readonly Partial<Operations>[],
  {
    store,
    roots,
    plugins = [],
    fair = alone,
    patience = 4_500,
    listener = {},
    headMemory,
    clock,
  }: ServiceOptions,
): Service {
  const fields = plugins.flatMap((plugin) => plugin.fields ?? []);
  const tables = tablesOf(plugins, fields);
  const ofPlugins = plugins.map((plugin) => plugin.endpoints ?? {});
  return {
    store,
    roots,
    ledger: new Ledger({ store, roots, tables, listener, headMemory }, patience, clock),
    tokens: tokensOf({ store, fair, listener }, Math.min(patience / 2, 2_000)),
    plugins,
    tables,
    fields,
    suites: plugins.flatMap((plugin) => plugin.suites ?? []),
    calls: callsOf([...core, ...further, ...ofPlugins]),
    fair,
    listener,
  };
}

/** The tables of the core, with the columns that plugins add to keys, and the tables of the plugins. */
function tablesOf(plugins: readonly Plugin[], fields: readonly Field[]) {
  const ofPlugins = Object.fromEntries(
    fields.map(({ column, initial }) => [column, typeof initial === 'boolean' ? 'boolean' : 'text']),
  );
  const widened = tableOf<KeyRow>(keys.name, keys.id, { ...keys.types, ...ofPlugins });
  const core = [tenants, widened, keyVersions, apiKeys, entries, anchors, tallies, uses];
  const all = [...core, ...plugins.flatMap((plugin) => plugin.tables ?? [])] as readonly Table<never>[];
  // The record of a change names its row by the first column of the id, and no table.
  const recorded = all.filter(({ record, isLoose }) => record && !isLoose).map(({ id }) => String(id[0]));
  const twice = recorded.find((name, nth) => recorded.indexOf(name) < nth);
  if (twice) throw new Error(`the ids of tables with a rev must begin with different columns: not ${twice}`);
  return new Map(all.map((table) => [table.name, table]));
}
