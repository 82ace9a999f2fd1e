import { and, Column, is, type SQL, sql, type Table } from 'drizzle-orm';
import { type Builder, methodsOf } from './builder.ts';
import { isSameColumn } from './chunks.ts';
import {
  encryptedColumns,
  type Encryption,
  encryptionOf,
  type EncryptedEntry,
  entryOf,
  type IdColumn,
  idColumnOf,
  isBound,
  subjectColumnOf,
} from './encryption.ts';
import { refuse } from './error.ts';
import { excludedColumn } from './operators.ts';
import { findsSameForm } from './id-form.ts';
import type { Row, RowId } from './records.ts';
import { rewrite } from './rewrite.ts';
import type { RewriteContext } from './search.ts';
import {
  asSqlValues,
  encryptValues,
  refuseSubject,
  requireNoIndexValues,
  requireSameId,
  requireSameSubject,
  rewriteOthers,
  valuesByColumn,
} from './values.ts';

export interface Conflict {
  readonly method: string;
  readonly config: ConflictConfig | undefined;
}

interface ConflictConfig {
  readonly target?: unknown;
  readonly set?: Row;
  readonly where?: SQL;
  readonly targetWhere?: SQL;
  readonly setWhere?: SQL;
}

interface Insert {
  readonly table: Table;
  readonly ids: readonly RowId[];
  /** Whether the app passed the ids, and not a default. */
  readonly hasOwnIds: boolean;
  /** The subject of each row. */
  readonly subjects: readonly Row[];
  readonly context: RewriteContext;
  readonly nameOf: (column: Column) => string;
}

export async function applyConflict(
  builder: Builder,
  conflicts: readonly Conflict[],
  insert: Insert,
): Promise<{ onConflict?: unknown }> {
  const copy = Object.assign(Object.create(builder) as Builder, {
    config: { ...builder.config, onConflict: undefined },
  });
  for (const { method, config } of conflicts) {
    const changed = config && (await changedConfig(config, insert));
    methodsOf(builder)[method]?.call(copy, changed);
  }
  if (conflicts.length > 0) return { onConflict: (copy.config as { onConflict?: unknown }).onConflict };
  // A subquery in the conflict clause can use encrypted columns of another table.
  const { onConflict } = builder.config as { onConflict?: unknown };
  return onConflict === undefined ? {} : { onConflict: await rewrite(onConflict, insert.context) };
}

async function changedConfig(config: ConflictConfig, insert: Insert): Promise<ConflictConfig> {
  const same = new Set<Column>();
  const set = config.set && (await setOf(config.set, config.target, insert, same));
  const guards = Array.from(same, (column) => sql`${column} = ${excludedOf(column, insert)}`);
  const guarded = config.where ? 'where' : 'setWhere';
  const conditions = (['where', 'targetWhere', 'setWhere'] as const).map(async (name) => {
    const given = config[name] && (await rewrite(config[name], insert.context));
    return [name, and(given, ...(name === guarded ? guards : []))] as const;
  });
  return {
    ...config,
    ...Object.fromEntries(await Promise.all(conditions)),
    ...(config.target === undefined ? {} : { target: targetOf(config.target) }),
    ...(set ? { set } : {}),
  };
}

function targetOf(target: unknown): unknown {
  if (Array.isArray(target)) return target.map(targetOf);
  const encryption = encryptionOf(target);
  if (!encryption) return target;
  const { index } = entryOf(target as Column, encryption);
  return (
    index ??
    refuse(
      'not_searchable',
      encryption,
      'the column has no unique index',
      'define it with `.searchable().unique()`',
    )
  );
}

function excludedOf(column: Column, { nameOf }: Insert): SQL {
  return sql`excluded.${sql.identifier(nameOf(column))}`;
}

/** Notes in `same` the columns that the updated row must have in common with the row of the insert. */
async function setOf(given: Row, target: unknown, insert: Insert, same: Set<Column>): Promise<Row> {
  const { table, ids, hasOwnIds, subjects, context } = insert;
  requireNoIndexValues(table, given);
  requireSameId(table, given);
  requireSameSubject(table, given);
  const id = idColumnOf(table);
  const subject = subjectColumnOf(table);
  const columns = [target].flat();
  const isIdTarget = columns.length === 1 && isAmong(id, columns);
  const isPersonTarget = isAmong(subject, columns);
  // Only an id that the app passed can be that of the row that is there.
  const isSameRow = isIdTarget || (isPersonTarget && hasOwnIds);
  const set: Row = { ...(await rewriteOthers(table, given, context)) };
  const people = subjects.map((row) => subject && row[subject.column.name]);
  const written: EncryptedEntry[] = [];
  for (const entry of encryptedColumns(table)) {
    const { key, column, encryption, indexes } = entry;
    if (set[key] === undefined && column.onUpdateFn) set[key] = column.onUpdateFn();
    if (set[key] === undefined) {
      delete set[key];
      continue;
    }
    const needsRow = isBound(encryption) && set[key] !== null;
    const person = set[key] === null ? undefined : subject;
    // Another row than that of the insert can be the data of another person.
    if (person && !isIdTarget && !isPersonTarget) {
      refuseSubject(
        table,
        'the updated row can be the data of another person than the row of the insert',
        `${target && id ? 'use the id as `target`, or ' : ''}select the row first, then insert or update it`,
      );
    }
    if (person) requireForm(person, encryption, people);
    if (person && !isPersonTarget) same.add(person.column);
    if (id && needsRow && isSameRow) requireForm(id, encryption, ids);
    if (id && needsRow && !isIdTarget) same.add(id.column);
    const source = excludedColumn(set[key]);
    if (source) {
      if (!isSameColumn(source, column) || (needsRow && !isSameRow)) refuseRow(entry, 'excluded', target);
      set[key] = excludedOf(column, insert);
      for (const index of indexes) set[index.key] = excludedOf(index.column, insert);
      continue;
    }
    const isOneRow = ids.length === 1 && (isSameRow || !needsRow);
    if ((needsRow || person) && !isOneRow) refuseRow(entry, 'value', target);
    written.push(entry);
  }
  if (written.length === 0) return set;
  const [stored = {}] = await encryptValues(
    written,
    [{ ...valuesByColumn(written, set), ...subjects[0] }],
    ids.slice(0, 1),
    context.recordsOf(table),
  );
  return { ...set, ...asSqlValues(stored) };
}

function isAmong(one: IdColumn | undefined, columns: readonly unknown[]): boolean {
  return one !== undefined && columns.some((each) => is(each, Column) && isSameColumn(each, one.column));
}

function requireForm({ key, column }: IdColumn, encryption: Encryption, values: readonly unknown[]): void {
  if (values.every((value) => value === undefined || findsSameForm(column, value))) return;
  refuse(
    'row_unknown',
    encryption,
    `the ciphertext is bound to \`${key}\`, which can be equal to a value with another text`,
    'select the row first, then insert or update it',
  );
}

function refuseRow({ key, encryption }: EncryptedEntry, kind: 'excluded' | 'value', target: unknown): never {
  const value = kind === 'value' ? ` and \`${key}: excluded(table.${key})\`` : '';
  return refuse(
    'row_unknown',
    encryption,
    kind === 'excluded'
      ? 'the updated row and the row of the insert can have different ids'
      : 'the ciphertext is bound to the row id, and the clause can update any of several rows',
    `${target ? `use the id as \`target\`${value}, or ` : ''}define the column with { context: 'field' }`,
  );
}
