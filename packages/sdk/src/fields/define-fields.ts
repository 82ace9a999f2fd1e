// `defineFields`: checks the definition of tables, and joins it with a client and its keys to the methods that work on rows.
import { having, kindOf, type OptionRules, requireKind, requireOptions } from '@eaas/protocol/internal';
import { inside } from '../client/inside.ts';
import { resultOf } from '../errors.ts';
import { refuseHalf } from '../half/options.ts';
import {
  decryptRows,
  type DecryptRowsOptions,
  requireSomeField,
  shownRow,
  storedOf,
} from './decrypt-rows.ts';
import { describe, type FieldsDescription } from './describe.ts';
import { encryptRows } from './encrypt-rows.ts';
import { revealRule } from './concealed.ts';
import { onErrorRule } from './field-error.ts';
import { type ForCore, forCore } from './for-core.ts';
import { fingerprintsOf, indexKinds, type IndexSource } from './fingerprints.ts';
import {
  type EncryptRowOptions,
  encryptRowOptions,
  type FieldsClient,
  type IdOf,
  type Internals,
  type Row,
  rowOptions,
} from './internals.ts';
import { onlyMatching, termsOf, where } from './where.ts';
import { partIndexesOf, planOf, requireTable } from './plan.ts';
import type { Records } from './records.ts';
import type { NameOf, OnlyColumns, PlaceOf, RecordId, Searchable, FieldsTables } from './row-types.ts';
import { refuse } from './value-types.ts';

/** Options of `FieldsDefinition.for`: which keys encrypt the fields, and how fingerprints are computed. */
export interface RecordsOptions<T extends FieldsTables> {
  /**
   * Selects how fingerprints are computed. With a token that `createIndexKey` returned, this process computes
   * fingerprints. With `half`, so does a client that has a half, and needs no token. With `service`, the service computes
   * fingerprints and sees each stored and searched value. If
   * `index` is a list, each row is stored with a
   * fingerprint from the first entry, and searches use the fingerprints from all entries.
   */
  readonly index?: IndexSource | readonly IndexSource[] | undefined;
  /**
   * The ids of the keys, by table (`users`) or by field (`users.email`). Defaults to the key of the client. If you pass
   * a list of ids, values are encrypted under the first key. Values that were encrypted under the other keys can still
   * be decrypted.
   */
  readonly keyIds?:
    | { readonly [Place in NameOf<T> | PlaceOf<T>]?: string | readonly string[] | undefined }
    | undefined;
}

type OptionsOf<T extends FieldsTables> = {
  [Table in NameOf<T>]: Searchable<T[Table]>;
}[NameOf<T>] extends never
  ? [options?: RecordsOptions<T>]
  : [options: RecordsOptions<T> & { readonly index: IndexSource | readonly IndexSource[] }];

/** The definition of encrypted fields, as `defineFields` returns it. */
export interface FieldsDefinition<T extends FieldsTables> {
  readonly tables: T;
  /** Returns the methods that encrypt, decrypt and search with a client. Throws InputError for invalid options. */
  for(client: FieldsClient, ...options: OptionsOf<T>): Records<T>;
  /**
   * Returns what the definition says of its tables: their columns, their indexes, and what is bound to what. For programs that
   * check queries, migrations or grants.
   */
  describe(): FieldsDescription;
}

/**
 * Defines the columns of tables: `defineFields({ users: { ...unencrypted('id'), email: field.text().searchable() } })`. Each
 * ciphertext is bound to the names of its table and field: if you rename one, set `renamedFrom` to the old names. With
 * `subject: 'subject'`, a column or a function of the row, each row is the data of this person: see `subjects.erase`.
 * Throws InputError for invalid names and for two columns with the same name.
 *
 * @example
 * ```ts
 * import { defineFields, field, unencrypted } from '@eaas/sdk/fields';
 *
 * const fields = defineFields({ patients: { ...unencrypted('id'), ssn: field.text().searchable() } });
 * const records = fields.for(eaas, { index: process.env.EAAS_INDEX_KEY! });
 * const row = await records.encryptRow('patients', '7', { id: '7', ssn: '123-45-6789' });
 * const { ssn } = await records.decryptRow('patients', '7', row);
 * console.log(ssn); // 123-45-6789
 * ```
 */
export function defineFields<const T extends FieldsTables>(tables: T & OnlyColumns<T>): FieldsDefinition<T> {
  planOf(tables);
  return {
    tables,
    for: (client, ...[options = {}]) => recordsOf(tables, client, options),
    describe: () => describe(tables),
  };
}

function recordsOf<T extends FieldsTables>(tables: T, client: FieldsClient, options: RecordsOptions<T>) {
  requireKind(having('a client', 'encryptMany'), client, 'the first argument');
  requireOptions({ index: 'anything', keyIds: 'object' }, options, 'for');
  const { index = [], keyIds } = options;
  const plans = planOf(tables, keyIds);
  const sources = [index].flat();
  const halves = client[inside]?.halves;
  if (sources.includes('service')) {
    refuseHalf(halves, "index: 'service'", "pass an index key of `createIndexKey`, or `index: 'half'`");
  }
  if (!halves && sources.includes('half')) {
    refuse("`index: 'half'` needs a client with a half: pass `half` to the client, or set EAAS_HALF");
  }
  const all = [...plans.values()].flatMap(({ fields }) => fields);
  const searchable = all.find(({ indexes }) => indexes.length > 0);
  if (searchable && sources.length === 0) {
    refuse(
      `${searchable.place} is searchable, so the option \`index\` must be ${indexKinds} (got ${kindOf(options.index)})`,
    );
  }
  const guessable = all.find((field) => partIndexesOf(field).length > 0);
  if (guessable && sources.every((source) => source === 'service')) {
    refuse(
      `${guessable.place} is searchable by parts (\`searchableBy\`), which needs an index key: pass a ` +
        `token from \`createIndexKey\` as the option \`index\`. ` +
        "To keep the other indexes, pass [token, 'service']",
    );
  }
  const fingerprints = fingerprintsOf(sources);
  return recordsIn({ client, plans, fingerprints }) as Records<T>;
}

const decryptRowOptions: OptionRules<DecryptRowsOptions> = {
  ...rowOptions,
  as: 'object',
  onError: onErrorRule,
  reveal: revealRule,
};

function recordsIn(internals: Internals): unknown {
  const { client, fingerprints } = internals;
  return {
    as: (user: string) => {
      const records = recordsIn({ ...internals, client: client.as(user) });
      return { ...Object(records), [Symbol.dispose]: () => {} } as unknown;
    },
    async encryptRow(table: string, id: RecordId, row: Row, options: EncryptRowOptions = {}) {
      requireOptions(encryptRowOptions, options, 'encryptRow');
      return (await encryptRows(internals, table, [row], () => id, options))[0];
    },
    async encryptRows(table: string, rows: readonly Row[], idOf: IdOf, options: EncryptRowOptions = {}) {
      requireOptions(encryptRowOptions, options, 'encryptRows');
      return encryptRows(internals, table, rows, idOf, options);
    },
    async decryptRow(table: string, id: RecordId, row: Row, options: DecryptRowsOptions = {}) {
      requireOptions(decryptRowOptions, options, 'decryptRow');
      const { onError = 'throw', as } = options;
      const [opened] = await decryptRows(internals, table, [row], () => id, { ...options, onError });
      requireSomeField(requireTable(internals.plans, table), row, as);
      return resultOf(opened);
    },
    async decryptRows(
      table: string,
      rows: readonly Row[],
      idOf: IdOf,
      options: DecryptRowsOptions & { readonly settled?: boolean } = {},
    ) {
      requireOptions({ ...decryptRowOptions, settled: 'flag' }, options, 'decryptRows');
      const { settled, onError = settled ? 'throw' : undefined, ...others } = options;
      const results = await decryptRows(internals, table, rows, idOf, { ...others, onError });
      return settled ? results : results.map(resultOf);
    },
    where: where.bind(undefined, internals),
    onlyMatching: onlyMatching.bind(undefined, internals),
    [forCore]: {
      termsOf: termsOf.bind(undefined, internals),
      shownRow: shownRow.bind(undefined, internals),
      storedOf,
    } satisfies ForCore,
    close: () => fingerprints.drop(),
    [Symbol.dispose]: () => fingerprints.drop(),
  };
}
