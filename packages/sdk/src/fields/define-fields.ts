import { decryptFieldSync, encryptFieldSync } from './at-once.ts';
import { decryptRows, unsettled } from './decrypt-rows.ts';
import { encryptRows } from './encrypt-rows.ts';
import { where } from './find-rows.ts';
import { fingerprintsOf, type IndexSource } from './fingerprints.ts';
import { planOf } from './plan.ts';
import { type PlaintextRead, Reads } from './reads.ts';
import type { Records } from './records.ts';
import type { NameOf, PlaceOf, RowId, Searchable, Tables } from './row-types.ts';
import type { FieldsClient, IdOf, Row, RowOptions, Setting } from './setting.ts';
import { refuse } from './value-type.ts';

/** Under which keys records are encrypted, and where their indexes are made. */
export interface RecordsOptions<T extends Tables> {
  /**
   * Where the fingerprints of searchable fields are made: `service`, or a token of `createIndexKey`. Of several, the
   * first writes, and all are searched.
   */
  readonly index?: IndexSource | readonly IndexSource[] | undefined;
  /**
   * Keys of tables (`users`) and of fields (`users.email`), where they are not the client's. Of several, the first
   * encrypts, and all are expected.
   */
  readonly keyIds?:
    | { readonly [Place in NameOf<T> | PlaceOf<T>]?: string | readonly string[] | undefined }
    | undefined;
  /** Hears of each value that is read and not encrypted yet: see `plaintext`. */
  readonly onPlaintext?: ((read: PlaintextRead) => void) | undefined;
}

/** Where fields are searchable, it must be said where their fingerprints are made. */
type OptionsOf<T extends Tables> = {
  [Table in NameOf<T>]: Searchable<T[Table]>;
}[NameOf<T>] extends never
  ? [options?: RecordsOptions<T>]
  : [options: RecordsOptions<T> & { readonly index: IndexSource | readonly IndexSource[] }];

/** Which fields of which tables are encrypted, and how: the same wherever they are written and read. */
export interface FieldsDefinition<T extends Tables> {
  readonly tables: T;
  /** The fields under the keys of a client. Throws InputError for options that do not fit the definition. */
  for(client: FieldsClient, ...options: OptionsOf<T>): Records<T>;
}

/**
 * Defines encrypted fields: `defineFields({ users: { email: text().searchable(), notes: json<Notes>() } })`. Throws
 * InputError for names that cannot be used, and for columns of one name. Table and field names are part of what a
 * ciphertext is bound to: to rename one, give the field a `context` that says the old names.
 */
export function defineFields<T extends Tables>(tables: T): FieldsDefinition<T> {
  planOf(tables);
  return { tables, for: (client, ...[options = {}]) => recordsOf(tables, client, options) };
}

function recordsOf<T extends Tables>(
  tables: T,
  client: FieldsClient,
  { index = [], keyIds, onPlaintext }: RecordsOptions<T>,
): Records<T> {
  const plans = planOf(tables, keyIds);
  const sources = [index].flat();
  const searchable = [...plans.values()].flat().find(({ indexColumn }) => indexColumn);
  if (searchable && sources.length === 0) {
    refuse(`say where the index of ${searchable.place} is made: \`index\`, 'service' or a token`);
  }
  const fingerprints = fingerprintsOf(client, sources);
  const setting: Setting = { client, plans, fingerprints, reads: new Reads(plans, onPlaintext) };
  const open = async (
    table: string,
    rows: readonly Row[],
    idOf: IdOf,
    { settled, ...options }: RowOptions & { readonly settled?: boolean } = {},
  ) => {
    const results = await decryptRows(setting, table, rows, idOf, options);
    return settled ? results : unsettled(results);
  };
  const records = {
    encryptRow: async (table: string, id: RowId, row: Row, options?: RowOptions) =>
      (await encryptRows(setting, table, [row], () => id, options))[0],
    encryptRows: encryptRows.bind(undefined, setting),
    decryptRow: async (table: string, id: RowId, row: Row, options?: RowOptions) =>
      (await open(table, [row], () => id, options))[0],
    decryptRows: open,
    where: where.bind(undefined, setting),
    encryptFieldSync: encryptFieldSync.bind(undefined, setting),
    decryptFieldSync: decryptFieldSync.bind(undefined, setting),
    reads: () => setting.reads.snapshot(),
    close: () => fingerprints.drop(),
    [Symbol.dispose]: () => fingerprints.drop(),
  };
  // Each verb knows rows as such; what is in them follows from the definition.
  return records as unknown as Records<T>;
}
