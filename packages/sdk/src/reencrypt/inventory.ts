import { aborted } from '../abortable.ts';
import { EaasError } from '../errors.ts';
import { countDistinct, type Distinct } from './distinct.ts';
import { type Encrypted, formOf } from './stored-form.ts';
import { type ReadableStore, requireBeyond, type StoredRow, type StoredValue } from './store.ts';

/** How many of the values that were looked at are under one version of a key, and what the service says of it. */
export interface VersionUse {
  readonly key_version: number;
  /** Envelopes, streams included. */
  readonly values: number;
  readonly streams: number;
  /** Distinct wrapped keys: what rewrapping the values costs, and unwrapping them all. */
  readonly wrapped_keys: number;
  /** False where that is an estimate, within a few percent. */
  readonly wrapped_keys_exact: boolean;
  /** As the service counts, of everything that uses the version; at most a minute late. */
  readonly wraps?: number;
  readonly unwraps?: number;
  readonly last_unwrap_at?: string | null;
}

/** One key, and what is encrypted under each of its versions. */
export interface KeyUse {
  readonly key_id: string;
  /** The key's newest version and its status: absent where the service was not asked, or does not know the key. */
  readonly key_version?: number;
  readonly status?: string;
  /** By version, the versions that the service has and no value uses included. */
  readonly versions: readonly VersionUse[];
}

/** What a table holds, told by headers alone. It speaks of the values that were looked at, and of nothing else. */
export interface Inventory {
  readonly values: number;
  /** NULL. */
  readonly empty: number;
  readonly plaintexts: number;
  /** What begins like an envelope and is none, as one that was cut short. */
  readonly broken: number;
  readonly keys: readonly KeyUse[];
}

/** What the service says of a key, as `client.keys.get` answers it. */
interface KeyRecord {
  readonly key_version: number;
  readonly status: string;
  readonly versions: readonly VersionCount[];
}

type VersionCount = Required<Pick<VersionUse, 'key_version' | 'wraps' | 'unwraps' | 'last_unwrap_at'>>;

/** Who is asked for the keys, and how an inventory is ended. */
export interface InventoryOptions {
  /** Adds what the service knows of the keys: an `EaasClient` whose API key may `keys.read`. */
  readonly client?: { readonly keys: { get(input: { key_id: string }): Promise<KeyRecord> } } | undefined;
  /** Keys to report even where no value uses them. */
  readonly keyIds?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

const totalOf = { empty: 'empty', plaintext: 'plaintexts', broken: 'broken' } as const;

interface Count {
  values: number;
  streams: number;
  readonly wrappedKeys: Distinct;
}

/**
 * Counts which versions of which keys the values are under, without decrypting any, in memory that grows with the number
 * of key versions and not of values. Throws EaasError when the service does not answer or the signal aborts.
 */
export async function inventory(
  values: AsyncIterable<StoredValue> | Iterable<StoredValue>,
  { client, keyIds = [], signal }: InventoryOptions = {},
): Promise<Inventory> {
  const totals = { values: 0, empty: 0, plaintexts: 0, broken: 0 };
  const keys = new Map<string, Map<number, Count>>(keyIds.map((keyId) => [keyId.toLowerCase(), new Map()]));
  for await (const value of values) {
    if (signal?.aborted) throw aborted();
    const form = formOf(value);
    totals.values++;
    if ('header' in form) count(keys, form);
    else totals[totalOf[form.kind]]++;
  }
  const uses: KeyUse[] = [];
  for (const [keyId, versions] of Array.from(keys).sort(([a], [b]) => (a < b ? -1 : 1))) {
    uses.push(keyUse(keyId, versions, await client?.keys.get({ key_id: keyId }).catch(unlessUnknown)));
  }
  return { ...totals, keys: uses };
}

/** Every value of a table, page by page, for `inventory`. Throws InputError where `read` does not come further. */
export async function* storedValues<Row extends StoredRow>(
  store: ReadableStore<Row>,
  { pageSize = 1_000 }: { readonly pageSize?: number | undefined } = {},
): AsyncGenerator<StoredValue, void, undefined> {
  for (let after: Row['id'] | undefined; ;) {
    const rows = await store.read({ after, limit: pageSize });
    requireBeyond(rows, after);
    const last = rows.at(-1);
    if (!last) return;
    for (const { values } of rows) yield* Object.values(values);
    after = last.id;
  }
}

function count(keys: Map<string, Map<number, Count>>, { kind, header }: Encrypted): void {
  const { keyId, keyVersion, wrappedKey } = header;
  const versions = keys.get(keyId) ?? new Map<number, Count>();
  const version = versions.get(keyVersion) ?? { values: 0, streams: 0, wrappedKeys: countDistinct() };
  keys.set(keyId, versions.set(keyVersion, version));
  version.values++;
  if (kind === 'stream') version.streams++;
  version.wrappedKeys.add(wrappedKey);
}

function keyUse(keyId: string, counted: ReadonlyMap<number, Count>, record: KeyRecord | undefined): KeyUse {
  const known = new Map(record?.versions.map((version) => [version.key_version, version]));
  const numbers = Array.from(new Set([...counted.keys(), ...known.keys()])).sort((a, b) => a - b);
  const versions = numbers.map((number) => versionUse(number, counted.get(number), known.get(number)));
  const { key_version, status } = record ?? {};
  return { key_id: keyId, ...(key_version !== undefined && status && { key_version, status }), versions };
}

function versionUse(
  key_version: number,
  found: Count | undefined,
  known: VersionCount | undefined,
): VersionUse {
  return {
    key_version,
    values: found?.values ?? 0,
    streams: found?.streams ?? 0,
    wrapped_keys: found?.wrappedKeys.count ?? 0,
    wrapped_keys_exact: found?.wrappedKeys.exact ?? true,
    ...(known && {
      wraps: known.wraps,
      unwraps: known.unwraps,
      last_unwrap_at: known.last_unwrap_at,
    }),
  };
}

/** Another tenant's key, or a destroyed one's header that somebody made up, is no reason to stop. */
function unlessUnknown(error: unknown): undefined {
  if (error instanceof EaasError && error.code === 'not_found') return undefined;
  throw error;
}
