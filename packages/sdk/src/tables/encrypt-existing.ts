import { anything, callback, object, requireOptions, text } from '@eaas/protocol/internal-options';
import type { FieldsDefinition, RecordsOptions } from '../fields/define-fields.ts';
import { checkConstraints } from '../fields/describe-fields.ts';
import type { FieldsClient } from '../fields/internals.ts';
import type { Unencrypted } from '../fields/field.ts';
import type { FieldName, IndexColumns, NameOf, SubjectSource, Tables } from '../fields/row-types.ts';
import { runOptions, type ReencryptClient, type RunOptions } from '../reencrypt/plan.ts';
import type { ReencryptProgress, RowFailure } from '../reencrypt/progress.ts';
import { reencrypt } from '../reencrypt/reencrypt.ts';
import type { SqlDatabase, SqlTemplateDatabase } from './database.ts';
import { convertRows, inBatches, type RowsCodec } from './convert-rows.ts';
import { openTable, type StoredTexts } from './existing-table.ts';

/** How far a run has come. Store it as JSON, and pass it as `resume` to continue after an interruption. */
export interface ExistingProgress extends ReencryptProgress<string | number> {
  /** The number of rows in which the run has looked for plaintext that is left. Starts after the last row. */
  readonly checked: number;
}

/** The columns that a run writes, and those that name the person whose data a row is. */
type ColumnName<F> =
  | FieldName<F>
  | IndexColumns<F>
  | (F extends { readonly subject: infer Source extends SubjectSource }
      ? Source extends string
        ? Source
        : keyof { [Name in keyof F as F[Name] extends Unencrypted ? Name : never]: unknown }
      : never);

/** Options of `encryptExisting`: the fields, their names in the database, and how the run proceeds. */
export interface EncryptExistingOptions<T extends Tables, Table extends NameOf<T>>
  extends
    RecordsOptions<T>,
    Pick<
      RunOptions<StoredTexts>,
      'dryRun' | 'pageSize' | 'rowsPerSecond' | 'pause' | 'maxFailures' | 'signal' | 'clock'
    > {
  /** The client whose key encrypts the values. */
  readonly client: FieldsClient & ReencryptClient;
  /** The definition of the fields. In columns that hold plaintext, they have the option `previous: plaintext()`. */
  readonly fields: FieldsDefinition<T>;
  /** The schema of the table in the database. */
  readonly schema?: string | undefined;
  /** The name of the table in the database. Defaults to the name in the definition. */
  readonly table?: string | undefined;
  /** The column of the row ids in the database. It must be unique. Defaults to `id`. */
  readonly id?: string | undefined;
  /** The database names of columns whose name differs from the definition, as in `{ email: 'email_new' }`. */
  readonly columns?: { readonly [Name in ColumnName<T[Table]>]?: string | undefined } | undefined;
  /**
   * The columns that hold the plaintext, for fields whose ciphertexts go into another column:
   * `{ email: 'email', born: 'born' }`. The column can have any type. The run does not change it.
   */
  readonly from?: { readonly [Name in FieldName<T[Table]>]?: string | undefined } | undefined;
  /** The progress of an interrupted run, which this run continues. */
  readonly resume?: ExistingProgress | undefined;
  /** Called after each page, such as with `terminalBar()`. The run waits for a promise that it returns. */
  readonly onProgress?: ((progress: ExistingProgress) => unknown) | undefined;
}

/** What `encryptExisting` did, and the proof that no plaintext is left. */
export interface EncryptExistingResult {
  /** True if every row is encrypted: no row failed or was in conflict, and no plaintext is left. */
  readonly done: boolean;
  /** The counts at the end. */
  readonly progress: ExistingProgress;
  /** The first 100 rows that could not be encrypted, with the reason. */
  readonly failures: readonly RowFailure<string | number>[];
  /** The rows that still hold plaintext after the run: their number, and the ids of the first 100. */
  readonly left: { readonly count: number; readonly ids: readonly (string | number)[] };
  /** The statement with which PostgreSQL refuses plaintext from now on. Undefined for other databases. */
  readonly constraints: string | undefined;
}

const mostListed = 100;

/**
 * Encrypts the columns of a table that has rows, while the app uses it, and fills the index columns: a page of rows at
 * a time, each with one statement that leaves alone what the app has changed meanwhile. Then looks for plaintext in the
 * whole table. A run that is repeated, also after it was killed at any moment, leaves encrypted rows as they are.
 *
 * If the definition has a `subject`, each row is encrypted for its person. Rows that name nobody count as failed, and
 * ciphertexts of nobody or of an erased person stay as they are.
 *
 * A value that looks like a ciphertext is decrypted, to tell whether it is one: if it cannot be decrypted in its row,
 * the row counts as failed.
 *
 * Throws InputError for columns that do not fit, DatabaseError if the database refuses a statement, TooManyFailures,
 * and EaasError if the service refuses the caller or stays unavailable, or if the signal aborts.
 */
export async function encryptExisting<T extends Tables, Table extends NameOf<T>>(
  database: SqlDatabase | SqlTemplateDatabase,
  table: Table,
  options: EncryptExistingOptions<T, Table>,
): Promise<EncryptExistingResult> {
  requireOptions<object>(optionRules, options, 'encryptExisting');
  const { client, fields, schema, id, columns, from, resume, onProgress, index, keyIds, ...run } = options;
  const { table: stored = table, ...pages } = run;
  const access = await openTable(database, {
    tables: fields?.tables,
    table,
    stored,
    schema,
    id,
    columns,
    from,
  });
  // `for` checks the options, because the types of a generic definition do not say what is searchable.
  const untyped = fields as unknown as { for(client: FieldsClient, options: object): RowsCodec };
  const codec = untyped.for(client, { index, keyIds });
  let progress = resume;
  const running = reencrypt(client, access.store, {
    ...pages,
    mode: 'custom',
    resume,
    pageSize: pages.pageSize ?? 1_000,
    convert: inBatches((rows) => convertRows(table, access, codec, rows)),
  });
  for await (const each of running) {
    progress = { ...each, checked: 0 };
    await onProgress?.(progress);
  }
  const found = { ...progress } as ExistingProgress;
  const left = await access.plaintextLeft(mostListed, pages.signal, async (checked) => {
    progress = { ...found, checked };
    await onProgress?.(progress);
  });
  return {
    done: found.done && left.count === 0,
    progress: { ...found, ...progress },
    failures: found.failures.slice(0, mostListed),
    left,
    constraints:
      (database.dialect ?? 'postgresql') === 'postgresql'
        ? checkConstraints(fields, table, {
            schema,
            table: stored,
            columns: definedIn(columns, access.naming),
          })
        : undefined,
  };
}

const { resume: _resume, verify: _verify, concurrency: _concurrency, ...pageOptions } = runOptions;
const optionRules = {
  ...pageOptions,
  client: anything,
  fields: object,
  index: anything,
  keyIds: object,
  onPlaintext: callback,
  schema: text,
  table: text,
  id: text,
  columns: object,
  from: object,
  resume: object,
  onProgress: callback,
};

function definedIn(
  columns: Readonly<Record<string, string | undefined>> | undefined,
  except: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(columns ?? {}).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !except.includes(entry[0]),
    ),
  );
}
