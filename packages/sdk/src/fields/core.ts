// The core under the adapters of database libraries, such as `@eaas/drizzle` and `@eaas/prisma`. An adapter knows the grammar of
// its library, and says where values stand in it. The core knows what becomes of them: it encrypts new rows, answers searches,
// opens stored rows, and knows ids, people, users and `onError`, so that all adapters answer alike.
import { attempt, requireOptions } from '@eaas/protocol/internal';
import { inside } from '../client/inside.ts';
import type { Asked, Core, CoreTable, EncryptionOptions, Sealed, Statement, Unsealed } from './adapter.ts';
import { reveal } from './concealed.ts';
import { refuseStatement } from './encrypted-table-error.ts';
import { type FieldError, type OnError, onErrorRule } from './field-error.ts';
import { coreOfRecords } from './for-core.ts';
import { callByGroup, type FieldsClient, type IdOf, type Row } from './internals.ts';
import { sealedLike, writesOlder } from './older-form.ts';
import {
  type FieldPlan,
  type IndexPlan,
  lasting,
  partIndexesOf,
  planOf,
  requireField,
  requireOwnNames,
  requireTable,
  type TablePlan,
  wholeOf,
} from './plan.ts';
import type { ColumnPlace } from './recognize-ciphertext.ts';
import type { Records } from './records.ts';
import type { RecordId, FieldsTables } from './row-types.ts';
import { refuse } from './value-types.ts';
import type { Term } from './where.ts';
import { withoutHandles } from './write-concealed.ts';

/** For adapters: makes the core of a database. Throws for a mistake in the options of `call`. */
export function coreOf(client: FieldsClient, options: EncryptionOptions, call: string): Core {
  const rules = { index: 'anything', keyIds: 'object', onError: 'anything', user: 'callback' } as const;
  requireOptions<EncryptionOptions>(rules, options, call);
  const { index, keyIds = {}, onError } = options;
  const known = new Map<string, FieldPlan>();
  const coreWith = (userOf: UserOf, onErrorOf: OnErrorOf, isRevealed = false): Core => ({
    requireTables(names) {
      const byTable = typeof onError === 'object' ? Object.keys(onError) : [];
      const place = Object.keys(keyIds).find((name) => !isIn(name, names));
      const table = place ?? byTable.find((name) => !names.includes(name));
      if (table === undefined) return;
      const problem = `\`${place === undefined ? 'onError' : 'keyIds'}\` names no known table with encrypted columns`;
      const remedy = `name one of (${names.join(', ')}), or list its table in the schema`;
      refuseStatement('definition', { table }, problem, remedy);
    },
    table(fields, name, shown = name, unique = []) {
      const plan = requireTable(planOf(fields.tables), name);
      for (const field of plan.fields) known.set(field.place, field);
      requireOwnNames([...known.values()]);
      for (const own of plan.fields.flatMap(({ indexes }) => indexes)) {
        if (own.labels.length > 1 && unique.includes(own.column)) {
          refuse(`a unique index compares ${shown}.${own.column}: write ${lasting(own.fields[0])}`);
        }
      }
      const keys = Object.entries(keyIds).filter(([place]) => isIn(place, Object.keys(fields.tables)));
      const own = { index, keyIds: Object.fromEntries(keys) };
      // The SDK checks `index` when it runs, because the type of the definition does not say what is searchable.
      const records = fields.for(client, own as never);
      const person = personColumns(plan);
      if (plan.subject !== undefined && person.length === 0) {
        const problem = 'nobody knows which columns the function `subject` reads';
        const remedy = "list them in the definition, such as ...unencrypted('patientId')";
        refuseStatement('definition', { table: shown }, problem, remedy);
      }
      return { name: shown, plan, person, source: { fields, name, ...own }, records };
    },
    begin: () => statementOf(client, userOf, onErrorOf, isRevealed),
    as(user) {
      client.as(user); // Throws for a user that is no valid text.
      return coreWith(() => user, onErrorOf, isRevealed);
    },
    onError: (handler, place) => coreWith(userOf, onErrorsOf(handler, place), isRevealed),
    revealed: () => coreWith(userOf, onErrorOf, true),
    client() {
      const user = userOf?.();
      return user === undefined ? client : client.as(user);
    },
  });
  return coreWith(options.user, onErrorsOf(onError));
}

const isIn = (place: string, tables: readonly string[]): boolean =>
  tables.some((table) => place === table || place.startsWith(`${table}.`));

/** The columns that name the person of a row. For a function, all columns that the definition lists as unencrypted. */
export function personColumns({ subject, columns, encrypted }: TablePlan): string[] {
  if (typeof subject !== 'function') return [subject ?? []].flat();
  return [...columns].filter((name) => !encrypted.has(name));
}

type OnErrorOf = (table: string) => OnError | undefined;

function onErrorsOf(given: EncryptionOptions['onError'], place: ColumnPlace = {}): OnErrorOf {
  const isByTable = typeof given === 'object' && given !== null;
  const byTable = new Map<string | undefined, OnError | undefined>(
    isByTable ? Object.entries(given) : [[place.table, given]],
  );
  for (const [table, handler] of byTable) {
    if (handler === undefined || onErrorRule(handler, '') === true) continue;
    const remedy = "pass 'null' to read a value that cannot be decrypted as null";
    refuseStatement('definition', { table }, "`onError` must be 'throw', 'null' or a function", remedy);
  }
  return (table) => byTable.get(isByTable ? table : place.table);
}

type UserOf = EncryptionOptions['user'];

function statementOf(
  client: FieldsClient,
  userOf: UserOf,
  onErrorOf: OnErrorOf,
  isRevealed: boolean,
): Statement {
  let acting: { readonly user: string | undefined } | undefined;
  const userOnce = (): string | undefined => {
    acting ??= { user: userOf?.() };
    return acting.user;
  };
  const recordsOf = ({ records }: CoreTable): Records<FieldsTables> => {
    const user = userOnce();
    return user === undefined ? records : records.as(user);
  };
  const requireUser: Statement['requireUser'] = ({ name: table }, values) => {
    if (values && Object.keys(values).length === 0) return;
    if (!client[inside]?.needsUser || userOnce() !== undefined) return;
    const problem = 'the client has `requireUser`, and the statement has no user';
    const remedy = 'call `as(userId)` of the database (`$as` of Prisma), or pass it the option `user`';
    refuseStatement('user_unknown', { table }, problem, remedy);
  };
  return {
    requireUser,
    isRevealed,
    async seal(rows) {
      await callByGroup(rows, tableOf, async (own, table) => {
        for (const row of own) {
          requireUser(table, row.values);
          requireBound(row);
        }
        const given = own.map(({ values, person }): Row => ({ ...person, ...values }));
        const ids = new Map(given.map((row, at) => [row, own[at]?.id]));
        const idOf = (row: Row): RecordId | undefined => ids.get(row);
        const stored = await recordsOf(table).encryptRows(table.plan.table, given, idOf, {
          revealed: isRevealed,
        });
        for (const [at, { person = {}, put }] of own.entries()) {
          // What names the person is in the row already, or must stay as it is.
          const written = Object.entries(stored[at] ?? {}).filter(([name]) => !Object.hasOwn(person, name));
          put(Object.fromEntries(written));
        }
      });
    },
    find(asked) {
      const { table, column, parts, oneOf = [] } = asked;
      const ask = async (query: unknown): Promise<readonly Term[]> => {
        requireUser(table);
        return coreOfRecords(recordsOf(table)).termsOf(table.plan.table, { [column]: query });
      };
      if (parts) {
        requireParts(asked, withoutHandles(parts));
        return async () =>
          (await ask(parts)).flatMap(({ index, isList, lists }) =>
            lists.map((list) => ({ index, oneOf: list, isList, older: [] })),
          );
      }
      const index = wholeIndexOf(table, column);
      const { field } = requireField(table.plan, column);
      for (const value of oneOf) requireWhole(table, column, value);
      return async () => {
        const terms = (await Promise.all(oneOf.map(ask))).flat();
        // Sorted, so that a statement does not show the order of the values.
        const found = [...new Set(terms.flatMap(({ lists }) => lists.flat()))].sort();
        const older = terms.map((term) => term.older).filter((text) => text !== undefined);
        return [{ index, oneOf: found, isList: false, older, ...(writesOlder(field) && { sealedLike }) }];
      };
    },
    async open(rows, lists) {
      const values = new Map<Sealed | undefined, Row>();
      const isTold = rows.some(({ table }) => typeof onErrorOf(table.plan.table) === 'function');
      // A row that is shown can hold others, such as those of a relation.
      if (isTold) for (const row of rows) conceal(row, recordsOf(row.table));
      await callByGroup(rows, tableOf, async (own, table) => {
        const rowOf = new Map<object, Sealed>(own.map((row) => [row.stored, row]));
        const given = onErrorOf(table.plan.table);
        const { storedOf } = coreOfRecords(recordsOf(table));
        const onError =
          typeof given === 'function'
            ? (error: FieldError, row: Row) => given(error, (rowOf.get(storedOf(row))?.shown ?? {}) as never)
            : given;
        const stored = own.map((row) => row.stored);
        const idOf: IdOf = (row) => rowOf.get(row)?.id;
        const options = { onError, ...(isRevealed && { reveal: true as const }) };
        const opened = await recordsOf(table).decryptRows(table.plan.table, stored, idOf, options);
        for (const [at, row] of own.entries()) values.set(row, opened[at] ?? {});
      });
      for (const { table, items, near, rowOf } of lists) {
        const own = items.map((item) => values.get(rowOf(item as never)) ?? {});
        const compared = await reveal(own, Object.keys(near));
        const kept = new Set(table.records.onlyMatching(table.plan.table, compared, near));
        const left = items.filter((_, at) => kept.has(compared[at] ?? {}));
        items.length = 0;
        // Not with `push(...left)`, which fails for very long lists.
        for (const item of left) items.push(item);
      }
      for (const [row, opened] of values) row?.put(opened);
    },
  };
}

/** Puts handles into a row where concealed columns hold values that are not encrypted. */
function conceal({ table: { plan }, stored, id, put }: Sealed, records: Records<FieldsTables>): void {
  if (!plan.fields.some(({ field }) => field.isConcealed)) return;
  const shown = coreOfRecords(records).shownRow(plan.table, stored, id);
  if (shown !== stored) put(shown);
}

const tableOf = ({ table }: { readonly table: CoreTable }): CoreTable => table;

/**
 * For adapters: the values of a new row, with null for the columns that share an index with one of them, because its fingerprint
 * is computed from all.
 */
export function withPartners({ plan }: CoreTable, values: Row): Row {
  const groups = plan.fields.flatMap(({ indexes }) =>
    indexes.map(({ fields }) => fields.map(({ name }) => name)),
  );
  const needed = groups.filter((names) => names.some((name) => Object.hasOwn(values, name))).flat();
  return { ...Object.fromEntries(needed.map((name) => [name, null])), ...values };
}

/** For adapters: the first column with a value that is bound to the id of its row. */
export const boundColumn = ({ plan }: CoreTable, values: Row): string | undefined =>
  sealedIn(plan, values).find(({ field }) => field.context !== 'field')?.name;

/** For adapters: whether values are encrypted for a person. */
export const isOfPerson = ({ person, plan }: CoreTable, values: Row): boolean =>
  person.length > 0 && sealedIn(plan, values).length > 0;

/** The fields whose values become ciphertexts. */
const sealedIn = ({ fields }: TablePlan, values: Row): FieldPlan[] =>
  fields.filter(({ name, field }) => (values[name] ?? null) !== null && !writesOlder(field));

/** Throws unless the id and the person of a row are known as far as its values need them. */
function requireBound({ table, values, id, person }: Unsealed): void {
  const { name, plan, person: names } = table;
  const column = boundColumn(table, values);
  if (column !== undefined && (id ?? null) === null) {
    const problem = 'the ciphertext is bound to the id of its row, which is not known before the statement';
    const remedy = "pass the id, or define the field with { context: 'field' }";
    refuseStatement('row_unknown', { table: name, column }, problem, remedy);
  }
  if (!isOfPerson(table, values)) return;
  const isNobody = (value: unknown): boolean =>
    value === undefined || (value === null && typeof plan.subject === 'string');
  const missing = names.find((each) => isNobody(person?.[each]));
  if (missing === undefined) return;
  const problem = 'the person whose data the row is must be known before its values are encrypted';
  const remedy = `pass \`${names.join('`, `')}\` with the values, and name the rows of an update by it, also by null`;
  refuseStatement('subject_unknown', { table: name, column: missing }, problem, remedy);
}

/** The index column for whole values. Throws if there is none, or if other values have the same fingerprint. */
export function wholeIndexOf({ name: table, plan }: CoreTable, column: string): string {
  const whole = wholeOf(requireField(plan, column));
  const place = { table, column };
  if (whole) return requireLong(place, whole, 256);
  const remedy = 'define its field with `.searchable()`, search its parts, or filter after reading';
  return refuseStatement('not_searchable', place, 'the column cannot be searched', remedy);
}

function requireLong(place: ColumnPlace, { column, index: { bits } }: IndexPlan, least: number): string {
  if (bits >= least) return column;
  const problem = `a search in an index of ${bits} bits also finds values that do not match`;
  const remedy = `define it with ${least} bits or more, or search with \`records.where\` and drop the other rows`;
  return refuseStatement('not_searchable', place, problem, remedy);
}

function requireWhole({ name: table }: CoreTable, column: string, value: unknown): void {
  withoutHandles(value, { table, column });
  const isNull = (value ?? null) === null;
  // The SDK would read an object as a search for a part of a value.
  if (!isNull && Object.prototype.toString.call(value) !== '[object Object]') return;
  const [problem, remedy] = isNull
    ? ['a comparison with null finds nothing', 'use `isNull` of Drizzle, or `{ equals: null }` of Prisma']
    : ['a comparison takes a value (got an object)', 'search by a part with an index of `searchableBy`'];
  refuseStatement('not_supported', { table, column }, problem, remedy);
}

function requireParts({ table, column, isRead, isNegated, dropped }: Asked, parts: Row): void {
  const place = { table: table.name, column };
  const refuse = refuseStatement.bind(undefined, 'not_supported', place);
  const many = `a search by \`${Object.keys(parts).join('`, `')}\` can find too many rows, so`;
  const select = 'select the rows without this search, filter them after decryption';
  if (!isRead) refuse(`${many} it cannot choose the rows to write`, `${select}, and write them by their ids`);
  if (isNegated) refuse(`${many} its negation would miss rows`, select);
  for (const each of partIndexesOf(requireField(table.plan, column))) {
    if (Object.hasOwn(parts, each.name)) requireLong(place, each, 64);
  }
  const near = dropped === true ? undefined : nearMisses(table, column, parts);
  if (!near) return;
  refuse(
    `a search by \`${Object.keys(near)[0]}\` from or to a day inside a month also finds other days, which cannot be dropped here`,
    'search from and to whole months (UTC), and drop the other days after reading (`fillPage` of ' +
      `\`@eaas/sdk/fields\` fills a page), or in ${String(dropped)}`,
  );
}

/** For adapters: the parts of a search that the database cannot answer alone, which `open` repeats on values. */
export function nearMisses({ plan }: CoreTable, column: string, parts: unknown): Row | undefined {
  const asked = Object(parts) as Row;
  // Undefined for a query that is invalid. The search throws an error that names the column.
  return attempt(() => {
    const near = partIndexesOf(requireField(plan, column))
      .filter(
        ({ name, index }) => Object.hasOwn(asked, name) && index.comparison?.isWhole(asked[name]) === false,
      )
      .map(({ name }) => [name, asked[name]] as const);
    return near.length === 0 ? undefined : Object.fromEntries(near);
  });
}
