// The tables of a definition: a module of the app that exports what `encryptedTable` of `@eaas/drizzle` or `defineFields` returned.
import { InputError } from '@eaas/protocol';
import { checkConstraints, type FieldsDefinition, type FieldsTables } from '@eaas/sdk/fields';
import { planIn, type TableSource } from '@eaas/sdk/internal';
import { isTable, namesOf, ofTable } from './adopt/place.ts';
import { checksIn } from './check/catalogue.ts';
import { fromApp, loadModule } from './connect.ts';

/** What a definition says of a table. */
export interface DefinedTable extends Omit<TableSource<unknown>, 'database'> {
  /** The columns that it names. */
  readonly named: readonly string[];
  /** The check constraints that it makes, or of `defineFields`, that an app can make of it. */
  readonly checks: readonly string[];
  /** What it means if one is missing. */
  readonly severity: 'error' | 'warning';
}

/** Returns the tables of a module, or of one export, or one table. Throws InputError unless it defines some, and each once. */
export async function definedIn(path: string, name?: string, table?: string) {
  const loaded = await loadModule(path, 'the definition');
  // The default of a module that was compiled to CommonJS has its exports.
  const all: Readonly<Record<string, unknown>> = { ...loaded.default, ...loaded };
  const exported = new Set(name === undefined ? Object.values(all) : [all[name]]);
  const made = Array.from(exported, async (value) => (isFields(value) ? ofFields(value) : ofDrizzle(value)));
  const tables = (await Promise.all(made)).flat();
  const [first, ...others] = tables.filter((each) => each.name === (table ?? each.name));
  if (first && new Set([first, ...others].map((each) => each.name)).size > others.length) {
    return [first, ...others] as const;
  }
  const exports = Object.keys(all).join(', ') || 'none';
  throw new InputError(
    `${path} must define ${table ?? 'tables'} once: pass one export as \`--export\` (${exports})`,
  );
}

const isFields = (value: unknown): value is FieldsDefinition<FieldsTables> =>
  typeof Object(value).tables === 'object' && typeof Object(value).for === 'function';

function ofFields(fields: FieldsDefinition<FieldsTables>): DefinedTable[] {
  const every = Object.keys(fields.tables).map((name) => planIn(fields.tables, name));
  const plans = every.filter((plan) => plan.fields.length > 0);
  return plans.map(({ table: name, columns, fields: own }) => {
    const named = [...columns, ...own.flatMap(({ field }) => field.previous?.columns ?? [])];
    // Until then, the columns hold what the constraints refuse.
    const checks = own.some(({ field }) => field.previous) ? [] : checksIn(checkConstraints(fields, name));
    return { fields, name, named, checks, severity: 'warning' };
  });
}

/** A column, if `encrypted` made it, and what else a table has: a check, or an index with a condition. */
type Column = { readonly name: string; readonly notNull: boolean; readonly eaas?: { readonly role: string } };
type Extra = { readonly value?: object; readonly config?: { readonly where?: object } };

async function ofDrizzle(table: unknown): Promise<DefinedTable[]> {
  if (!isTable(table)) return [];
  const columns = Object.values<Column>(ofTable(table, 'Columns'));
  const encrypted = columns.filter(({ eaas }) => eaas?.role === 'value');
  if (encrypted.length === 0) return [];
  const own = await fromApp('@eaas/drizzle/pg');
  const orm = await fromApp('drizzle-orm/pg-core');
  const { name, schema, id } = namesOf(table);
  // The option `casing` of a database changes names such as `createdAt`.
  const named = columns.flatMap(({ name: each }) => [each, each.replaceAll(/[A-Z]+/g, '_$&').toLowerCase()]);
  // The builder is undefined for a table without constraints.
  const build = ofTable(table, 'ExtraConfigBuilder');
  const extra: Extra[] = build ? Object.values(build(ofTable(table, 'ExtraConfigColumns'))) : [];
  const conditions = extra.flatMap(({ value, config }) => value ?? config?.where ?? []);
  const texts = conditions.map((each) => new orm.found.PgDialect().sqlToQuery(each, 'indexes').sql);
  const made = texts.flatMap((text) => checksIn(`check (${text}) where ${text}`));
  // An app's own checks are of other columns, and a column that is not null needs no check that it is not.
  const begun = encrypted.flatMap(({ name: column, notNull }) =>
    (notNull ? ['like', 'glob'] : ['']).map((word) => `check ( ${column} ${word}`),
  );
  const checks = made.filter((check) => begun.some((each) => check.startsWith(each)));
  return [{ fields: own.found.fieldsOf(table), name, schema, id, named, checks, severity: 'error' }];
}
