import { toBase64 } from '@eaas/protocol/base64';
import { requireKind, requireOptions, type Rule, signal as aborting } from '@eaas/protocol/internal-options';
import { ServiceError } from '../errors.ts';
import { keyIds as uuids } from '../options/key-id.ts';
import { aborted } from '../transport/abortable.ts';
import { formOf, isIntake, type StoredValue } from './store.ts';

/** Counts for one version of a key: the values under it, and how often the service wrapped or unwrapped with it. */
export interface VersionUse {
  readonly key_version: number;
  /** The number of values under the version, including streams. */
  readonly values: number;
  readonly streams: number;
  /**
   * The number of values whose data key is wrapped with a public key (intake). Rewrapping such a value removes it from
   * this count.
   */
  readonly intake: number;
  /**
   * The number of distinct wrapped keys under this version. To rewrap all values, the service rewraps each of these
   * keys once.
   */
  readonly wrapped_keys: number;
  /** Whether `wrapped_keys` is exact. If false, there are more: `inventory` tells 100,000 wrapped keys apart. */
  readonly wrapped_keys_exact: boolean;
  /**
   * How often the service wrapped a data key under this key version. The service returns this count, which can be up
   * to one minute old.
   */
  readonly wraps?: number;
  readonly unwraps?: number;
  readonly last_unwrap_at?: string | null;
}

/** How many values are encrypted under each version of a key. */
export interface KeyUse {
  readonly key_id: string;
  /**
   * The newest version of the key. `key_version` and `status` are absent without the option `client`, and for keys that
   * the service does not know.
   */
  readonly key_version?: number;
  readonly status?: string;
  /** The versions of the key in order, including versions that no value uses. */
  readonly versions: readonly VersionUse[];
}

/** The result of `inventory`: how many values are in each form, and under each key. */
export interface Inventory {
  readonly values: number;
  /** The number of values that are NULL. */
  readonly empty: number;
  readonly plaintexts: number;
  /**
   * The number of values that begin like an envelope but are invalid. A frequent cause is a column that is too short
   * for the ciphertext.
   */
  readonly broken: number;
  /**
   * The number of values under key versions that `keys` leaves out, for example because somebody stored forged values.
   * `keys` has at most 10,000 versions of each key in the option `keyIds`, and 10,000 versions of all other keys.
   */
  readonly others: number;
  readonly keys: readonly KeyUse[];
}

type VersionCounts = Required<Pick<VersionUse, 'key_version' | 'wraps' | 'unwraps' | 'last_unwrap_at'>>;

interface KeyRecord {
  readonly key_version: number;
  readonly status: string;
  readonly versions_total: number;
  readonly versions: readonly VersionCounts[];
}

/** Options of `inventory`. */
export interface InventoryOptions {
  /**
   * An `EaasClient` whose API key has the permission `keys.read`. With this option, the result also contains the counts
   * of the service.
   */
  readonly client?:
    | {
        readonly keys: {
          get(input: { key_id: string; limit: number; offset: number }): Promise<KeyRecord>;
        };
      }
    | undefined;
  /** The ids of keys to include in the result, even if no value uses them, or many values name other keys. */
  readonly keyIds?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

const valuesRule: Rule = (value) =>
  (typeof value === 'object' &&
    value !== null &&
    (Symbol.asyncIterator in value || Symbol.iterator in value)) ||
  'an array, or another iterable of values';

const clientRule: Rule = (value) =>
  typeof Object(Object(value).keys).get === 'function' || 'a client with `keys`';

const newCount = () => ({ values: 0, streams: 0, intake: 0, wrapped_keys: 0, wrapped_keys_exact: true });
type Versions = Map<number, ReturnType<typeof newCount>>;

/** Limits the memory that forged values can take, because anyone who can write to the table chooses their key ids. */
const mostVersions = 10_000;
const mostWrappedKeys = 100_000;

/**
 * Counts the values under each key version, without decrypting them. Memory use grows with the number of different key
 * versions up to a limit (see `others`), and not with the number of values. Throws ServiceError if the service cannot
 * be reached or refuses, and
 * ClientError if the signal aborts.
 */
export async function inventory(
  values: AsyncIterable<StoredValue> | Iterable<StoredValue>,
  options: InventoryOptions = {},
): Promise<Inventory> {
  requireOptions<InventoryOptions>(
    { client: clientRule, keyIds: uuids, signal: aborting },
    options,
    'inventory',
  );
  requireKind(valuesRule, values, 'the first argument of `inventory`');
  const { client, keyIds = [], signal } = options;
  const totals = { values: 0, empty: 0, plaintext: 0, broken: 0, others: 0 };
  const found = new Map<string, Versions>(keyIds.map((keyId) => [keyId.toLowerCase(), new Map()]));
  const listed = new Set(found.values());
  const wrappedKeys = new Set<string>();
  let unlisted = 0;
  for await (const value of values) {
    if (signal?.aborted) throw aborted();
    const form = formOf(value);
    totals.values++;
    if (!('header' in form)) {
      totals[form.kind]++;
      continue;
    }
    const { keyId, keyVersion, wrappedKey } = form.header;
    const versions: Versions = found.get(keyId) ?? new Map();
    let count = versions.get(keyVersion);
    if (!count) {
      const isListed = listed.has(versions);
      if ((isListed ? versions.size : unlisted) === mostVersions) {
        totals.others++;
        continue;
      }
      if (!isListed) unlisted++;
      count = newCount();
      found.set(keyId, versions.set(keyVersion, count));
    }
    count.values++;
    if (form.kind === 'stream') count.streams++;
    if (isIntake(form.header)) count.intake++;
    // The last bytes of a wrapped key are an authentication tag, which differs for each data key.
    const name = `${keyId} ${keyVersion} ${toBase64(wrappedKey.subarray(-16))}`;
    if (wrappedKeys.has(name)) continue;
    if (wrappedKeys.size === mostWrappedKeys) count.wrapped_keys_exact = false;
    else {
      wrappedKeys.add(name);
      count.wrapped_keys++;
    }
  }
  const keys: KeyUse[] = [];
  for (const [keyId, versions] of Array.from(found).sort(([a], [b]) => (a < b ? -1 : 1))) {
    keys.push(keyUse(keyId, versions, client && (await wholeKey(client.keys, keyId))));
  }
  const { plaintext: plaintexts, ...others } = totals;
  return { ...others, plaintexts, keys };
}

/**
 * Returns undefined for a key that the service does not know. A forged value can contain any key id, and such a value
 * must not make the inventory fail.
 */
async function wholeKey(
  keys: NonNullable<InventoryOptions['client']>['keys'],
  key_id: string,
): Promise<KeyRecord | undefined> {
  const versions: VersionCounts[] = [];
  try {
    for (;;) {
      const page = await keys.get({ key_id, limit: 1_000, offset: versions.length });
      versions.push(...page.versions);
      if (page.versions.length === 0 || versions.length >= page.versions_total) return { ...page, versions };
    }
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return undefined;
    throw error;
  }
}

function keyUse(key_id: string, counted: Versions, record: KeyRecord | undefined): KeyUse {
  const known = new Map(record?.versions.map((version) => [version.key_version, version]));
  const numbers = Array.from(new Set([...counted.keys(), ...known.keys()])).sort((a, b) => a - b);
  const versions: VersionUse[] = [];
  for (const key_version of numbers) {
    const counts = counted.get(key_version) ?? newCount();
    const of = known.get(key_version);
    const uses = of && { wraps: of.wraps, unwraps: of.unwraps, last_unwrap_at: of.last_unwrap_at };
    versions.push({ key_version, ...counts, ...uses });
  }
  return { key_id, ...(record && { key_version: record.key_version, status: record.status }), versions };
}
