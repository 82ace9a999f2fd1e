import { type Column, getTableName, is, Param, Placeholder, type SQL, sql } from 'drizzle-orm';
import { type Comparison, isSql } from './chunks.ts';
import { type Encryption, encryptionOf, entryOf, isIndexColumn } from './encryption.ts';
import { refuse, refusePlaceholder } from './error.ts';
import { wideIn } from './narrowing.ts';
import type { Access } from './records.ts';

export interface RewriteContext extends Access {
  readonly subqueries: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly isRead: boolean;
  /** The queries of `matches` whose near misses are dropped after decryption. */
  readonly narrowed?: ReadonlySet<unknown> | undefined;
}

export async function search(comparison: Comparison, context: RewriteContext): Promise<SQL> {
  const { column, encryption, operator, operands } = comparison;
  if (operator === 'matches') return searchParts(column, encryption, operands[0], context);
  const index = requireIndex(column, encryption, context);
  const isNegated = operator === '<>' || operator === 'not in';
  const [first] = operands;
  const other = encryptionOf(first);
  const condition =
    other && operands.length === 1
      ? sql`${index} = ${comparable(first as Column, other, encryption, context)}`
      : await equalToOne(index, column, encryption, operands, context);
  return isNegated ? sql`not (${condition})` : sql`(${condition})`;
}

async function searchParts(
  column: Column,
  encryption: Encryption,
  query: unknown,
  context: RewriteContext,
): Promise<SQL> {
  if (!context.isRead) {
    refuse(
      'not_supported',
      encryption,
      '`matches` can find too many rows, so it cannot choose the rows to write',
      'select the rows, filter them after decryption, and write them by their ids',
    );
  }
  const { indexes } = entryOf(column, encryption);
  const terms = await context.recordsOf(column.table).search(encryption.column, query);
  const [wide] = Object.keys(wideIn(encryption, query) ?? {});
  if (wide !== undefined && !context.narrowed?.has(query)) {
    refuse(
      'not_supported',
      encryption,
      `a search by \`${wide}\` from or to a day inside a month also finds other days, which cannot be dropped here`,
      'search from and to whole months (UTC), or in the `where` of a select without `limit`, joined by ' +
        '`and`, and count or cut the rows yourself',
    );
  }
  const conditions = Object.entries(terms).flatMap(([name, found]) => {
    const entry = indexes.find((index) => index.name === name);
    if (!entry) return [];
    const index = requireSelectedIndex(column, entry.column, encryption, context);
    const lists = found.filter((each) => Array.isArray(each));
    if (lists.length > 0) return lists.map((oneOf) => containsOne(index, oneOf));
    return [sql`${index} in ${found.map((fingerprint) => new Param(fingerprint))}`];
  });
  return sql`(${sql.join(conditions, sql` and `)})`;
}

function containsOne(index: Column, fingerprints: readonly string[]): SQL {
  if (index.columnType === 'EncryptedPgColumn') {
    // The SQL must equal the expression of the GIN index in the documentation of the SDK, because otherwise PostgreSQL
    // does not use the index.
    const list = sql.join(
      fingerprints.map((fingerprint) => sql`${new Param(fingerprint)}`),
      sql`, `,
    );
    return sql`string_to_array(${index}, ' ') && array[${list}]::text[]`;
  }
  const each = fingerprints.map((fingerprint) => sql`${index} like ${new Param(`%${fingerprint}%`)}`);
  return sql`(${sql.join(each, sql` or `)})`;
}

async function equalToOne(
  index: Column,
  column: Column,
  encryption: Encryption,
  operands: readonly unknown[],
  { recordsOf }: RewriteContext,
): Promise<SQL> {
  for (const operand of operands) requireValue(operand, encryption);
  const found = await recordsOf(column.table).fingerprints(encryption.column, operands);
  const fingerprints = found.map((fingerprint) => new Param(fingerprint));
  const condition = sql`${index} in ${fingerprints}`;
  // If a text has no fingerprint, its index column is NULL, and a condition with `in` is also NULL. SQL would then omit
  // the row even under `not`, because `not NULL` is NULL. The second condition changes NULL to false.
  if (encryption.field.type.name !== 'text') return condition;
  return sql`${condition} and (${index} is not null or ${column} is null)`;
}

function requireValue(operand: unknown, encryption: Encryption): void {
  if (operand === null || operand === undefined) {
    refuse(
      'not_supported',
      encryption,
      'a comparison with null finds nothing',
      'use `isNull` or `isNotNull`',
    );
  }
  if (is(operand, Placeholder)) refusePlaceholder(encryption);
  if (!isSql(operand)) return;
  refuse(
    'not_supported',
    encryption,
    'an encrypted column can only be compared with values and with searchable columns',
    'select the values first, and pass them',
  );
}

function comparable(
  column: Column,
  other: Encryption,
  encryption: Encryption,
  context: RewriteContext,
): Column {
  const index = requireIndex(column, other, context);
  if (bindingOf(other) === bindingOf(encryption)) return index;
  return refuse(
    'not_supported',
    encryption,
    `equal values have different fingerprints in ${other.table}.${other.column}`,
    `define one of the columns with \`searchable({ boundTo: { table: '${other.table}', field: '${other.column}' } })\``,
  );
}

function bindingOf({ field, table, column }: Encryption): string {
  const { boundTo = { table, field: column } } = field.index ?? {};
  return JSON.stringify([boundTo.table, boundTo.field, field.type.name]);
}

function requireIndex(column: Column, encryption: Encryption, context: RewriteContext): Column {
  const { index } = entryOf(column, encryption);
  if (!index) {
    refuse('not_searchable', encryption, 'the column cannot be searched', 'define it with `.searchable()`');
  }
  return requireSelectedIndex(column, index, encryption, context);
}

function requireSelectedIndex(
  column: Column,
  index: Column,
  encryption: Encryption,
  { subqueries }: RewriteContext,
): Column {
  const selected = subqueries.get(getTableName(column.table));
  const isSelected =
    !selected ||
    Object.values(selected).some((other) => isIndexColumn(other) && (other as Column).name === index.name);
  if (isSelected) return index;
  return refuse(
    'not_searchable',
    encryption,
    'the subquery does not select the index column',
    'compare inside the subquery, or select all columns in it',
  );
}
