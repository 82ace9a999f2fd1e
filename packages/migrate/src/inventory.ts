// How many values of a table are under each version of each key: before a rotation, and as its proof. Nothing is decrypted.
import { InputError } from '@eaas/protocol';
import { anything, flag, object, requireOptions, signal, text } from '@eaas/protocol/internal';
import { type EaasClient, ServiceError } from '@eaas/sdk';
import { writesOlder } from '@eaas/sdk/internal';
import type { SqlDatabase } from './database.ts';
import { indexing } from './encrypting.ts';
import { createHalfFinder, type HalfClient } from './halves.ts';
import { type Head, headIn } from './heads.ts';
import { pagesOf } from './passes.ts';
import { failureOf, type RowTexts, type TableRow } from './rows.ts';
import { type EncryptedDatabase, type TableOptions, type Target, targetOf } from './source.ts';
import { openTable } from './table.ts';

type VersionRecord = Awaited<ReturnType<EaasClient['keys']['get']>>['versions'][number];

/** The values under one version of a key, and with `client` what the service knows of it, up to a minute ago. */
export interface VersionUse extends Partial<VersionRecord> {
  readonly key_version: number;
  readonly values: number;
  /** The number of values whose data key a writer without credentials wrapped. Rewrapping moves them out of this count. */
  readonly intake: number;
  /** The number of values that belong to a person. */
  readonly people: number;
}

/** How many values are under each version of a key. */
export interface KeyUse {
  readonly key_id: string;
  /** The newest version, and the status. Absent without `client`, and for keys that the service does not know. */
  readonly key_version?: number;
  readonly status?: string;
  /** In order, with versions that no value uses. */
  readonly versions: readonly VersionUse[];
}

/** What a table holds, by form and by key. */
export interface Inventory {
  readonly values: number;
  /** The number of values that are NULL. */
  readonly empty: number;
  /** The number of values that are no ciphertext, also in the format of another tool. At 0, `previous` reads nothing. */
  readonly plaintexts: number;
  /** The number of values that begin like a ciphertext and are none. Often the column is too short. */
  readonly broken: number;
  /** The number of values under further key versions: `keys` has 10,000, because anybody who writes to the table names them. */
  readonly others: number;
  readonly keys: readonly KeyUse[];
  /**
   * With the option `halves`: how many values have each half of the client, by its id, `none` for those without a half, and
   * `unopened` for those that no half of the client opens, or whose person was erased.
   */
  readonly halves?: Readonly<Record<string, number>>;
  /** While a searchable field has `write`: how many rows lack a fingerprint, or have that of another value. */
  readonly unindexed?: number;
  /** What a table that is converted waits for, if a field has `previous`. */
  readonly next?: string;
}

/** Options of `inventory`. In plain SQL, they name the table as those of `migrate` do. */
export interface InventoryOptions extends Pick<
  TableOptions,
  'schema' | 'table' | 'columns' | 'index' | 'keyIds'
> {
  readonly fields?: object | undefined;
  readonly id?: string | undefined;
  /**
   * Without `halves` and `write`, the result has the counts of the service too, for which its API key needs `keys.read`. While a
   * searchable field has `write`, it compares fingerprints instead.
   */
  readonly client?: ({ readonly keys: Pick<EaasClient['keys'], 'get'> } & HalfClient) | undefined;
  /** If true, also counts by half. Asks the service to unwrap each data key once, which needs the permission `decrypt`. */
  readonly halves?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

const mostVersions = 10_000;
const rowsPerPage = 5_000;
const newCount = () => ({ values: 0, intake: 0, people: 0 });
type Counts = Map<string, Map<number, ReturnType<typeof newCount>>>;

/**
 * Counts the values of a table under each version of each key.
 *
 * @example
 * ```ts
 * import { inventory } from '@eaas/migrate';
 *
 * const { plaintexts, keys } = await inventory(pool, 'members', { fields, client: eaas });
 * for (const { key_id, versions } of keys) console.error(key_id, versions);
 * ```
 */
export async function inventory(
  db: EncryptedDatabase | SqlDatabase,
  table: object | string,
  options: InventoryOptions = {},
): Promise<Inventory> {
  const names = { fields: object, columns: object, schema: text, table: text, id: text };
  const values = { client: anything, index: anything, keyIds: object, halves: flag, signal };
  requireOptions<object>({ ...names, ...values }, options, 'inventory');
  const target = targetOf(db, table, options as TableOptions);
  const store = await openTable(target, 'inventory');
  const totals = { values: 0, empty: 0, plaintexts: 0, broken: 0, others: 0 };
  const found: Counts = new Map();
  let versions = 0;
  const count = ({ keyId, keyVersion, isIntake, isOfPerson }: Head): void => {
    const ofKey = found.get(keyId) ?? new Map<number, ReturnType<typeof newCount>>();
    const known = ofKey.get(keyVersion);
    if (!known && versions++ >= mostVersions) {
      totals.others++;
      return;
    }
    const counts = known ?? newCount();
    counts.values++;
    if (isIntake) counts.intake++;
    if (isOfPerson) counts.people++;
    found.set(keyId, ofKey.set(keyVersion, counts));
  };
  const findHalf = options.halves ? createHalfFinder(target, options.client) : undefined;
  if (options.halves && !findHalf) {
    throw new InputError(
      '`halves` of `inventory` needs a `client` with a half: pass `half` to it, or set EAAS_HALF',
    );
  }
  const isCompared = target.plan.fields.some((each) => writesOlder(each.field) && each.indexes.length > 0);
  if (isCompared && !options.client) {
    throw new InputError(
      'beside `write`, fingerprints are compared: pass `client`, and in plain SQL `index`',
    );
  }
  const leftIn = isCompared ? indexing(target, options.client as never).leftIn : undefined;
  let unindexed = 0;
  const halves: Record<string, number> = {};
  async function countHalf(row: RowTexts, name: string): Promise<void> {
    const text = row.values[name];
    if (!findHalf || typeof text !== 'string' || typeof headIn(text) !== 'object') return;
    const { half } = await findHalf(row as TableRow, text).catch((error: unknown) => {
      failureOf(error, row.id, target.name); // Throws what stops every other row too.
      return { half: 'unopened' };
    });
    halves[half] = (halves[half] ?? 0) + 1;
  }
  const read = findHalf || leftIn ? store.page : store.heads;
  for await (const rows of pagesOf<RowTexts>((last) => read(last, rowsPerPage), options.signal)) {
    await Promise.all(rows.flatMap((row) => store.fields.map((name) => countHalf(row, name))));
    unindexed += (await leftIn?.(rows as readonly TableRow[]))?.filter(Boolean).length ?? 0;
    for (const head of rows.flatMap(({ values }) => store.fields.map((name) => headIn(values[name])))) {
      totals.values++;
      if (typeof head === 'object') count(head);
      else totals[head === undefined ? 'empty' : head === 'plaintext' ? 'plaintexts' : 'broken']++;
    }
  }
  const keys: KeyUse[] = [];
  for (const keyId of [...found.keys()].sort()) {
    keys.push(await useOf(keyId, found, findHalf || leftIn ? undefined : options.client));
  }
  const sealed = totals.values - totals.empty - totals.plaintexts;
  const next = nextOf(target.plan, totals.plaintexts + totals.broken, sealed, unindexed);
  return {
    ...totals,
    keys,
    ...(findHalf && { halves }),
    ...(leftIn && { unindexed }),
    ...(next && { next }),
  };
}

function nextOf({ fields }: Target['plan'], plaintexts: number, sealed: number, unindexed: number) {
  if (!fields.some(({ field }) => field.previous)) return undefined;
  if (unindexed > 0) {
    return `run \`migrate\` in the mode 'index': ${unindexed} rows lack a fingerprint, or have that of another value`;
  }
  const leaving = sealed > 0 ? `run 'decrypt' (${sealed} ciphertexts are left)` : 'deploy the app without it';
  const begin =
    'stage 2 may begin: remove `write`, once no version before runs, which cannot be seen from here';
  if (fields.some(({ field }) => writesOlder(field))) return `${begin}; or, to leave Eaas, ${leaving}`;
  return plaintexts > 0
    ? `run \`migrate\` in the mode 'encrypt': ${plaintexts} values are no ciphertexts`
    : 'done: remove `previous`, because no value is left in an older form';
}

async function useOf(key_id: string, found: Counts, client: InventoryOptions['client']): Promise<KeyUse> {
  const record = client && (await wholeKey(client.keys, key_id));
  const uses = new Map<number, VersionUse>();
  for (const version of record?.versions ?? []) uses.set(version.key_version, { ...version, ...newCount() });
  for (const [key_version, counts] of found.get(key_id) ?? []) {
    uses.set(key_version, { ...uses.get(key_version), key_version, ...counts });
  }
  const versions = [...uses.values()].sort((one, other) => one.key_version - other.key_version);
  return { key_id, ...(record && { key_version: record.key_version, status: record.status }), versions };
}

/** Undefined for a key that the service does not know: a forged value can name any, and must not make the inventory fail. */
async function wholeKey(keys: Pick<EaasClient['keys'], 'get'>, key_id: string) {
  const versions: VersionRecord[] = [];
  try {
    for (;;) {
      const page = await keys.get(key_id, { limit: 1_000, offset: versions.length });
      versions.push(...page.versions);
      if (page.versions.length === 0 || versions.length >= page.versions_total) return { ...page, versions };
    }
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return undefined;
    throw error;
  }
}
