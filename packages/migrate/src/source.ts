// Where a table is, and what its definition says: from the options of the call, or from the database of `@eaas/drizzle` or
// `@eaas/prisma`, which knows all of it.
import { InputError } from '@eaas/protocol';
import { defineFields, type FieldsTables, plaintext } from '@eaas/sdk/fields';
import { planIn, type TableSource as SourceOf } from '@eaas/sdk/internal';
import type { MarkedDatabase, SqlDatabase } from './database.ts';
import type { TableRow } from './rows.ts';

/** What `db.$encryptedTable(table)` returns for a table or a model. */
type TableSource = SourceOf<MarkedDatabase>;

/** What the options of a call on a plain database say of its table, and an encrypted database knows. */
export type TableOptions = Partial<Omit<TableSource, 'database' | 'name'>>;

/** A database of `@eaas/drizzle`, or the extended client of `@eaas/prisma`. */
export interface EncryptedDatabase {
  /** What the database knows of a table. */
  $encryptedTable(table: never): TableSource;
}

/** A table with its fields. */
export interface Target extends Omit<TableSource, 'id'> {
  readonly plan: ReturnType<typeof planIn>;
  readonly id: string;
  readonly columns: Readonly<Record<string, string | undefined>>;
  /** Returns what stands for stored texts of a row, and what `previous` of its fields reads in their place. */
  readonly open?: ((row: TableRow) => Promise<object>) | undefined;
  /** The ids of rows that stay as they are. */
  readonly leave?: Set<string> | undefined;
  /** Whether a dry run adds the rows that it cannot convert to `leave`. */
  readonly leavesFailing?: boolean | undefined;
  /** The ids of rows whose values are plaintext if they do not open. */
  readonly asPlaintext?: ReadonlySet<string> | undefined;
}

export function targetOf(db: object, table: unknown, options: TableOptions): Target {
  const source = sourceOf(db, table, options);
  const { fields, name, keyIds, columns = {} } = source;
  const plan = planIn(fields.tables, name, keyIds);
  if (plan.fields.length === 0) {
    throw new InputError(
      `the table \`${name}\` has no encrypted fields: define some in \`defineFields\`, or name another table`,
    );
  }
  const target = { ...source, plan, columns, id: options.id ?? source.id ?? 'id' };
  // Without schemas, values stay as they are stored, also those that a newer schema would refuse.
  return withEach(target, () => ({ schema: undefined, isConcealed: undefined }));
}

/** The table with other options of each field. */
export const withEach = (target: Target, options: (name: string) => object): Target => {
  const columns = Object.entries<unknown>(target.fields.tables[target.name] ?? {}).map(([name, column]) => {
    return [name, typeof column === 'object' ? { ...column, ...options(name) } : column] as const;
  });
  const own = Object.fromEntries(columns) as FieldsTables[string];
  return { ...target, fields: defineFields({ ...target.fields.tables, [target.name]: own }) };
};

/** The table with fields that get fingerprints, and no ciphertexts. */
export const markingOnly = (target: Target): Target =>
  withEach(target, () => ({ previous: plaintext(() => '', { write: () => '' }), allowCiphertexts: true }));

const known = ['fields', 'schema', 'table', 'columns', 'index', 'keyIds'] as const;

function sourceOf(db: object, table: unknown, options: TableOptions): TableSource {
  const encrypted = db as Partial<EncryptedDatabase>;
  if (typeof encrypted?.$encryptedTable === 'function') {
    const given = known.find((name) => options[name] !== undefined);
    if (given === undefined) return encrypted.$encryptedTable(table as never);
    throw new InputError(
      `an encrypted database says by itself what \`${given}\` would say: leave out \`${given}\`, or pass the plain database`,
    );
  }
  const { fields } = options;
  if (typeof table !== 'string' || !fields) {
    throw new InputError(
      'a table needs its definition: pass what `withEncryption` returned, or a database with `query`, the name of a table and `fields`',
    );
  }
  return { ...options, fields, database: db as SqlDatabase, name: table };
}
