// `migrate`: encrypts a table that has rows, moves it to the newest version of its key, encrypts it again, or decrypts it, while the
// app uses it. It puts together where the table is, what the mode does to a row, and the passes over all rows.
import { InputError } from '@eaas/protocol';
import { countFrom, having, type OptionRules, requireKind, requireOptions } from '@eaas/protocol/internal';
import type { EaasClient } from '@eaas/sdk';
import {
  checkConstraints,
  type FieldsClient,
  type FieldsDefinition,
  type RecordsOptions,
  type FieldsTables,
} from '@eaas/sdk/fields';
import { writesOlder } from '@eaas/sdk/internal';
import type { SqlDatabase } from './database.ts';
import { checksIn } from './check/catalogue.ts';
import { codecOf, decrypting, encrypting, indexing, reencrypting } from './encrypting.ts';
import { convertTable, sleep } from './passes.ts';
import { beginProgress, type MigrateMode, type MigrateProgress } from './progress.ts';
import { createRewraps, rewrapping } from './rewrap.ts';
import type { RowFailure, Work } from './rows.ts';
import { type EncryptedDatabase, type TableOptions, type Target, targetOf } from './source.ts';
import { openTable } from './table.ts';

/** The members of an `EaasClient` that a migration uses. */
export type MigrateClient = FieldsClient & Pick<EaasClient, 'rewrap'> & Partial<Pick<EaasClient, 'keyId'>>;

/** How a migration proceeds. */
export interface MigrateOptions {
  /** The client whose keys encrypt the values. Its API key needs `encrypt`, and but for `rewrap` also `decrypt`. */
  readonly client: MigrateClient;
  /** The column of the row ids in the database, which must be unique. Defaults to the primary key, in plain SQL to `id`. */
  readonly id?: string | undefined;
  /** Does everything except writing. The service gets the requests, and the audit log records them. */
  readonly dryRun?: boolean | undefined;
  /** The number of rows that are read, converted and written at once. Defaults to 1,000. */
  readonly pageSize?: number | undefined;
  /** The most rows that are converted in a second, to limit the load on the database. */
  readonly rowsPerSecond?: number | undefined;
  /** The number of rows that can fail. If more fail, the migration throws TooManyFailuresError. Defaults to 100. */
  readonly maxFailures?: number | undefined;
  /** In the mode `decrypt`, leaves rows with values of erased people, which nobody can read. By default, these rows fail. */
  readonly leaveErased?: boolean | undefined;
  /** Ends the run after the current page, with the code `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each page. The migration waits for a promise that it returns. */
  readonly onProgress?: ((progress: MigrateProgress) => unknown) | undefined;
}

/** Options for a table in a database that is passed as it is, with the names that the database has for it. */
export interface MigrateFieldsOptions<T extends FieldsTables>
  extends
    MigrateOptions,
    Pick<TableOptions, 'schema' | 'table' | 'columns'>,
    Pick<RecordsOptions<T>, 'index' | 'keyIds'> {
  /** The definition of the fields. In columns that hold plaintext, they have the option `previous: plaintext()`. */
  readonly fields: FieldsDefinition<T>;
}

/** What a migration did, and the proof that nothing is left. */
export interface Migration {
  /** True if every row is as it must be: none failed, and nothing is left. */
  readonly done: boolean;
  /** The counts at the end. */
  readonly progress: MigrateProgress;
  /** The first 100 failures, with their reasons. */
  readonly failures: readonly RowFailure[];
  /**
   * The rows that are left, with plaintext, or values that are not under the newest version of their key: their number, and the
   * ids of the first 100.
   */
  readonly left: { readonly count: number; readonly ids: readonly (string | number)[] };
  /** The statement with which PostgreSQL refuses plaintext from now on. Undefined elsewhere, and for `index` and `decrypt`. */
  readonly constraints: string | undefined;
}

/**
 * Converts a table that has rows, while the app uses it: `index` fills and corrects index columns, and no others, `encrypt`
 * encrypts plaintext and fills index columns, `rewrap` moves values to the newest version of their key without decrypting them,
 * `reencrypt` decrypts and encrypts them under fresh data keys of the key, and the names, that the definition has, and `decrypt`
 * stores what `write` of `plaintext` makes of them. While a field has this `write`, only `index` and `decrypt` are allowed. At
 * the end it looks at every row again: `done` means that nothing is left but the values of erased people, which nobody can read.
 *
 * Each page is one statement, which leaves alone what the app has changed meanwhile. A migration that was killed at any
 * moment, or is repeated, goes on with what is left.
 *
 * Throws InputError for columns that do not fit, DatabaseError if the database refuses a statement, TooManyFailuresError, and
 * EaasError if the service refuses the caller or stays unavailable, or if the signal aborts.
 *
 * @example
 * ```ts
 * import { migrate } from '@eaas/migrate';
 * import { defineFields, field, plaintext } from '@eaas/sdk/fields';
 *
 * const fields = defineFields({ members: { email: field.text({ previous: plaintext() }) } });
 * const { done, left } = await migrate(pool, 'members', 'encrypt', { client: eaas, fields });
 * console.log(done, left.count); // true 0
 * ```
 */
export function migrate(
  db: EncryptedDatabase,
  table: object | string,
  mode: MigrateMode,
  options: MigrateOptions,
): Promise<Migration>;
export function migrate<T extends FieldsTables>(
  db: SqlDatabase,
  table: keyof T & string,
  mode: MigrateMode,
  options: MigrateFieldsOptions<T>,
): Promise<Migration>;
export async function migrate(
  db: object,
  table: object | string,
  mode: MigrateMode,
  options: MigrateOptions & TableOptions,
): Promise<Migration> {
  if (!['index', 'encrypt', 'rewrap', 'reencrypt', 'decrypt'].includes(mode)) {
    throw new InputError(
      "the third argument of `migrate` must be 'index', 'encrypt', 'rewrap', 'reencrypt' or 'decrypt'",
    );
  }
  requireOptions<object>(optionRules, options, 'migrate');
  requireKind(having('a client', 'encryptMany', 'rewrap'), options.client, '`client`');
  return migrateTarget(targetOf(db, table, options), mode, options);
}

/** Does the work of `migrate`, with options that fit. */
export async function migrateTarget(
  target: Target,
  mode: MigrateMode,
  options: MigrateOptions,
): Promise<Migration> {
  const { dryRun = false, signal, onProgress } = options;
  const isDecrypted = mode === 'decrypt';
  const other = target.plan.fields.find(({ field }) => writesOlder(field) !== isDecrypted);
  const why = isDecrypted
    ? 'has no `write` of `plaintext`: deploy the app with it first, so that it writes no more ciphertexts'
    : `still has \`write\`, for a version that reads no ciphertexts: run 'index', and '${mode}' once it is removed`;
  if (other && mode !== 'index') throw new InputError(`${other.place} ${why}`);
  const { pageSize = 1_000, rowsPerSecond = Infinity, maxFailures = 100 } = options;
  const store = await openTable(target, 'migrate');
  const described = await store.described();
  const hiding = described.find((line) => line.startsWith('row-level security'));
  if (hiding) throw new InputError(`${hiding}: connect as its owner, or as a role with \`bypassrls\``);
  const refusing = isDecrypted && described.flatMap(checksIn).find((check) => check.includes("'eaasA"));
  if (refusing) throw new InputError(`the table refuses plaintext by ${refusing}: drop this check first`);
  const work = workOf(mode, target, options);
  const subject = { mode, dryRun, table: target.name, fields: store.fields };
  const begin = beginProgress(subject, await store.count());
  const { leave, leavesFailing } = target;
  const clock = { now: () => performance.now(), sleep };
  const limits = { pageSize, rowsPerSecond, maxFailures, signal };
  const run = { store, work, clock, ...limits, onProgress, leave, leavesFailing };
  const constraints = mode === 'index' || isDecrypted ? undefined : constraintsOf(target);
  return { ...(await convertTable(run, begin)), constraints };
}

function workOf(mode: MigrateMode, target: Target, { client, signal, leaveErased }: MigrateOptions): Work {
  const rewraps = createRewraps(target, client, signal);
  if (mode === 'rewrap') return rewrapping(target, rewraps);
  if (mode === 'index') return indexing(target, client);
  const codec = codecOf(target, client);
  if (mode === 'decrypt') return decrypting(target, codec, leaveErased);
  return mode === 'encrypt' ? encrypting(target, codec) : reencrypting(target, codec, rewraps, client);
}

function constraintsOf(target: Target): string | undefined {
  const { database, fields, name, schema, table, columns, plan } = target;
  if ((database.dialect ?? 'postgresql') !== 'postgresql') return undefined;
  const named = Object.entries(columns).filter(
    ([column, own]) => own !== undefined && plan.encrypted.has(column),
  );
  return checkConstraints(fields, name, { schema, table, columns: Object.fromEntries(named) });
}

const optionRules = {
  client: 'anything',
  id: 'text',
  dryRun: 'flag',
  pageSize: 'positiveInteger',
  rowsPerSecond: (value) => (typeof value === 'number' && value > 0) || 'a number above 0',
  maxFailures: countFrom(0),
  leaveErased: 'flag',
  signal: 'signal',
  onProgress: 'callback',
  fields: 'object',
  schema: 'text',
  table: 'text',
  columns: 'object',
  index: 'anything',
  keyIds: 'object',
} satisfies OptionRules<MigrateOptions & TableOptions>;
