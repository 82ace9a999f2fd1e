import { Column, is, type SQL, sql, type Table } from 'drizzle-orm';
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
  const { context } = insert;
  const conditions = await Promise.all(
    (['where', 'targetWhere', 'setWhere'] as const)
      .filter((name) => config[name])
      .map(async (name) => [name, await rewrite(config[name], context)] as const),
  );
  return {
    ...config,
    ...Object.fromEntries(conditions),
    ...(config.target === undefined ? {} : { target: targetOf(config.target) }),
    ...(config.set ? { set: await setOf(config.set, config.target, insert) } : {}),
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

async function setOf(
  given: Row,
  target: unknown,
  { table, ids, subjects, context, nameOf }: Insert,
): Promise<Row> {
  requireNoIndexValues(table, given);
  requireSameId(table, given);
  requireSameSubject(table, given);
  const isIdTarget = isColumn(idColumnOf(table), target);
  const subject = subjectColumnOf(table);
  const set: Row = { ...(await rewriteOthers(table, given, context)) };
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
    if (person && !isColumn(person, target)) {
      refuseSubject(
        table,
        'the updated row can be the data of another person than the row of the insert',
        `use \`${person.key}\` as \`target\`, or select the row first, then insert or update it`,
      );
    }
    if (needsRow && isIdTarget) requireSameForm(table, encryption, ids);
    const source = excludedColumn(set[key]);
    if (source) {
      if (!isSameColumn(source, column) || (needsRow && !isIdTarget)) refuseRow(entry, 'excluded');
      set[key] = sql`excluded.${sql.identifier(nameOf(column))}`;
      for (const index of indexes) set[index.key] = sql`excluded.${sql.identifier(nameOf(index.column))}`;
      continue;
    }
    const isOneRow = ids.length === 1 && (isIdTarget || !needsRow);
    if ((needsRow || person) && !isOneRow) refuseRow(entry, 'value');
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

function isColumn(one: IdColumn | undefined, target: unknown): boolean {
  const [only, ...others] = [target].flat();
  return others.length === 0 && is(only, Column) && one !== undefined && isSameColumn(only, one.column);
}

function requireSameForm(table: Table, encryption: Encryption, ids: readonly RowId[]): void {
  const id = idColumnOf(table);
  if (!id || ids.every((value) => value === undefined || findsSameForm(id.column, value))) return;
  refuse(
    'row_unknown',
    encryption,
    `the ciphertext is bound to the row id, but \`${id.key}\` can be equal to an id with another text`,
    'select the id of the row first, then insert or update the row',
  );
}

function refuseRow({ key, encryption }: EncryptedEntry, kind: 'excluded' | 'value'): never {
  return refuse(
    'row_unknown',
    encryption,
    kind === 'excluded'
      ? 'the updated row and the row of the insert can have different ids'
      : 'the ciphertext is bound to the row id, and the clause can update any of several rows',
    `use the id as \`target\`${kind === 'value' ? ` and \`${key}: excluded(table.${key})\`` : ''}, ` +
      `or define the column with { context: 'field' }`,
  );
}
