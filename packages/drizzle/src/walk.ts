// One walk over the SQL of a statement, wherever the app put it: conditions, joins, subqueries, `with`, conflict clauses. Each
// comparison of an encrypted column becomes a late condition on fingerprints, and every other use of one is refused. A range of
// dates whose bounds are inside a month also finds the other days of the month, which `results.ts` drops after decryption, where
// that changes nothing but which rows are returned.
import { Column, is, Param, SQL, type SQLChunk, sql, StringChunk, Subquery } from 'drizzle-orm';
import { type Condition, indexOf, nearMisses, withoutHandles, writesOlder } from '@eaas/sdk/internal';
import type { Access, Row } from './access.ts';
import { type Comparison, comparisonIn, isQuery, isSql, type Query, textOf, valueOf } from './chunks.ts';
import { refuse } from './error.ts';
import {
  type Fields,
  flatFields,
  requireFirstDefinition,
  requireSelected,
  type Sources,
  sourcesOf,
} from './fields.ts';
import { Late, newRun, type Run } from './late.ts';
import { encryptionOf, entryOf, opaquePlace, readable, requirePlain } from './table.ts';
import type { PartsQuery } from './types.ts';

/** Where a piece of SQL stands in its statement. */
export interface Scope {
  readonly run: Run;
  /** Whether the statement only reads, so that it may find too many rows. */
  readonly isRead: boolean;
  /** Whether `not` is around it. */
  readonly isNegated?: boolean;
  /** The tables and subqueries of the query that it is in. */
  readonly sources?: readonly unknown[] | undefined;
}

/** The new value of a column if an insert conflicts. */
export class Excluded extends SQL {
  readonly column: Column;

  constructor(column: Column) {
    super(sql`excluded.${sql.identifier(column.name)}`.queryChunks);
    this.column = column;
  }
}

/**
 * Returns SQL for the new value of a column if an insert conflicts. Use this SQL in `set` of `onConflictDoUpdate`.
 *
 * @example
 * ```ts
 * import { excluded } from '@eaas/drizzle/pg';
 *
 * const set = { ssn: excluded(patients.ssn) };
 * await db.insert(patients).values({ id: 7, ssn: '123-45-6789' }).onConflictDoUpdate({ target: patients.id, set });
 * ```
 */
export const excluded = (column: Column): SQL => new Excluded(column);

/** Returns SQL in which each comparison of an encrypted column is late. Throws for SQL that computes with such a column. */
export const walk = <Chunk>(chunk: Chunk, scope: Scope): Chunk => walkChunk(chunk, scope) as Chunk;

function walkChunk(chunk: unknown, scope: Scope): unknown {
  if (is(chunk, StringChunk)) return chunk;
  withoutHandles(valueOf(chunk));
  if (is(chunk, Param)) return chunk;
  if (is(chunk, SQL)) return walkSql(chunk, scope);
  if (is(chunk, Column)) return requirePlain(requireFirstDefinition(chunk, scope.run.access));
  if (is(chunk, Subquery)) {
    const { sql: inner, selectedFields, alias, isWith } = chunk._;
    return new Subquery(walkSql(inner, { ...scope, sources: [] }), selectedFields, alias, isWith);
  }
  if (Array.isArray(chunk)) return chunk.map((each) => walkChunk(each, scope));
  if (!isQuery(chunk)) return chunk;
  const { config = {} } = chunk as { config?: Sources };
  // Drizzle puts the SQL of a query into parentheses.
  return sql`(${walkSql(chunk.getSQL(), { ...scope, sources: sourcesOf(config) })})`;
}

function walkSql(given: SQL, scope: Scope): SQL {
  if (given instanceof Late) return given;
  if (given instanceof Excluded) requirePlain(given.column);
  const comparison = comparisonIn(given);
  if (comparison?.operator === 'unchanged') return given;
  return withChunks(given, comparison ? [search(comparison, scope)] : walkChunks(given.queryChunks, scope));
}

function walkChunks(chunks: readonly SQLChunk[], scope: Scope): SQLChunk[] {
  let before = '';
  return chunks.map((chunk) => {
    // `exists` ignores the columns of its subquery, so they can be encrypted.
    if (isQuery(chunk) && !/\bexists\s*$/i.test(before)) requirePlainSelection(chunk, scope);
    const isNegated = scope.isNegated || /\bnot\s*(?:exists\s*)?\(*\s*$/i.test(before);
    if (!is(chunk, StringChunk) || textOf(chunk) !== '') before = textOf(chunk);
    return walkChunk(chunk, { ...scope, isNegated }) as SQLChunk;
  });
}

/** Keeps what else Drizzle says of the SQL, such as how it decodes a value. */
function withChunks(given: SQL, queryChunks: readonly SQLChunk[]): SQL {
  const copy = Object.create(Object.getPrototypeOf(given) as object) as SQL;
  return Object.assign(copy, given, { queryChunks });
}

/** Throws if a query selects what must not leave its column, as the right side of a comparison or as rows to insert. */
export function requirePlainSelection(query: Query, scope: Scope): void {
  const { config } = query as { config?: { fields?: Fields; returningFields?: Fields } };
  const checked = { ...scope, run: newRun(scope.run.access) };
  for (const { field } of flatFields(config?.fields ?? config?.returningFields ?? {})) {
    walk(is(field, SQL.Aliased) ? field.sql : field, checked);
  }
}

/** Returns a field that an app selects: an encrypted column becomes readable, and the walk finds what SQL compares. */
export function selectedField(field: unknown): unknown {
  if (is(field, Column)) return opaquePlace(field) ? readable(field) : field;
  const expression = is(field, SQL.Aliased) ? field.sql : field;
  const isOfSubquery = Reflect.get(Object(field) as object, 'isSelectionField') === true;
  if (isOfSubquery || !is(expression, SQL)) return field;
  // Drizzle writes the columns of a selected expression as text, if there is one table. One level deeper it does not.
  const deeper = withChunks(expression, [expression]);
  return is(field, SQL.Aliased) ? new SQL.Aliased(deeper, field.fieldAlias) : deeper;
}

/**
 * Returns a condition on the indexes of `searchableBy`: `matches(patients.ssn, { last4: '6789' })`. The query can also
 * return rows that do not match, so filter the decrypted rows. The condition works only in reads, and not inside `not`.
 *
 * @example
 * ```ts
 * import { matches } from '@eaas/drizzle/pg';
 *
 * const found = await db.select().from(patients).where(matches(patients.ssn, { last4: '6789' }));
 * ```
 */
export function matches<C extends Column>(column: C, query: PartsQuery<NoInfer<C>>): SQL {
  // Drizzle passes the parameter to the encrypted column, which throws for plaintext.
  return sql`${column} matches ${new Param(query, column)}`;
}

/** Where the near misses of a search by `matches` are dropped. */
const dropping = 'the `where` of a select of columns without `limit`, joined by `and`';

/** Returns the late condition for a comparison. Throws if no index can answer it. */
function search({ column, encryption, operator, operands }: Comparison, scope: Scope): SQL {
  const { access, statement, first: steps } = scope.run;
  const late = new Late();
  const { isRead, isNegated = false } = scope;
  const asked = { table: access.tableOf(column.table), column: encryption.column, isRead, isNegated };
  const isNot = operator === '<>' || operator === 'not in';
  const settle = (condition: SQL): void => late.settle(isNot ? sql`not (${condition})` : sql`(${condition})`);
  const [first] = operands;
  const other = encryptionOf(first);
  if (operator !== 'matches' && other && operands.length === 1) {
    if (writesOlder(encryption.field) || writesOlder(other.field)) {
      const problem =
        'the version before changes values, and not their fingerprints, which a comparison of columns compares';
      refuse('not_supported', encryption, problem, 'select the values first, and pass them');
    }
    const compared = { table: access.tableOf((first as Column).table), column: other.column };
    const index = indexColumn(column, scope, indexOf(asked.table, encryption.column, compared));
    settle(sql`${index} = ${indexColumn(first as Column, scope)}`);
    return late;
  }
  if (operands.some(isSql)) {
    const problem = 'an encrypted column can only be compared with values and with searchable columns';
    refuse('not_supported', encryption, problem, 'select the values first, and pass them');
  }
  const query = operator === 'matches' ? { parts: Object(first) as Row } : { oneOf: operands };
  const dropped = narrowed.has(Object(first) as object) || dropping;
  const find = statement.find({ ...asked, ...query, dropped });
  if (operator !== 'matches') indexColumn(column, scope);
  steps.push(async () => {
    const found = await find();
    const all = sql.join(
      found.map((each) => conditionOn(column, each, scope)),
      sql` and `,
    );
    // If a text has no fingerprint, its index column is NULL, and a condition with `in` is also NULL. SQL would then omit
    // the row even under `not`, because `not NULL` is NULL. The second condition changes NULL to false.
    const isText = operator !== 'matches' && encryption.field.type.name === 'text';
    const whole = isText
      ? sql`${all} and (${indexColumn(column, scope)} is not null or ${column} is null)`
      : all;
    settle(orOlder(column, whole, found[0]));
  });
  return late;
}

/** Adds the rows that have one of the values in the form of the version before. */
function orOlder(column: Column, found: SQL, { older = [], sealedLike }: Partial<Condition> = {}): SQL {
  if (older.length === 0) return found;
  const isOlder = sql`${column} in ${older.map((text) => new Param(text))}`;
  return sealedLike === undefined
    ? sql`(${found}) or ${isOlder}`
    : sql`${isOlder} or (${column} like ${new Param(`${sealedLike}%`)} and (${found}))`;
}

/** The index column of a name, or that for whole values. */
function indexColumn(column: Column, { run, sources }: Scope, given?: string): Column {
  const { encryption, indexes } = entryOf(column);
  const name = given ?? indexOf(run.access.tableOf(column.table), encryption.column);
  return requireSelected(indexes.find((each) => each.name === name)?.column as Column, sources);
}

function conditionOn(column: Column, { index: name, oneOf, isList }: Condition, scope: Scope): SQL {
  const index = indexColumn(column, scope, name);
  if (!isList) return sql`${index} in ${oneOf.map((fingerprint) => new Param(fingerprint))}`;
  if (index.columnType === 'EncryptedPgColumn') {
    // The SQL must equal the expression of the GIN index in the documentation of the SDK, because otherwise PostgreSQL
    // does not use the index.
    const list = oneOf.map((fingerprint) => sql`${new Param(fingerprint)}`);
    return sql`string_to_array(${index}, ' ') && array[${sql.join(list, sql`, `)}]::text[]`;
  }
  const each = oneOf.map((fingerprint) => sql`${index} like ${new Param(`%${fingerprint}%`)}`);
  return sql`(${sql.join(each, sql` or `)})`;
}

/** The queries of `matches` whose near misses are dropped. Each stands at one place of one statement. */
const narrowed = new WeakSet<object>();

/** A search whose near misses are dropped: `near` is the part to repeat on decrypted values. */
export type WideSearch = Pick<Comparison, 'column' | 'encryption'> & { readonly near: Row };

/**
 * Returns a condition in which the searches that every row must meet may find too many rows, because `and` joins them with
 * all other conditions. Adds these searches to `wide`.
 */
export function narrowing(where: SQL, wide: WideSearch[], access: Access): SQL {
  const comparison = comparisonIn(where);
  if (comparison?.operator === 'matches') {
    const { column, encryption, operands } = comparison;
    const near = nearMisses(access.tableOf(column.table), encryption.column, operands[0]);
    if (!near) return where;
    const whole = { ...Object(operands[0]) } as object;
    narrowed.add(whole);
    wide.push({ column, encryption, near });
    return matches(column, whole as never);
  }
  if (comparison) return where;
  const isConjunction = where.queryChunks.every((chunk) => {
    return is(chunk, SQL) || (is(chunk, StringChunk) && /^\s*(?:\(|\)|and)?\s*$/i.test(textOf(chunk)));
  });
  if (!isConjunction) return where;
  return sql.join(
    where.queryChunks.map((chunk) => (is(chunk, SQL) ? narrowing(chunk, wide, access) : chunk)),
  );
}
