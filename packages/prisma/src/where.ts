// The conditions of `where`, in Prisma's grammar: those on encrypted fields become conditions on their index columns.
import { refuseStatement as refuse } from '@eaas/sdk/internal';
import { conditionsOf, filterOf } from './filter.ts';
import { type Model, targetOf } from './models.ts';
import { type Args, entriesOf, isArgs, joinConditions, mapItems, mapMembers } from './values.ts';
import { refuseIndexColumn, refuseUnknown, type Scope, type Work } from './work.ts';

const relationFilters: Readonly<Record<string, boolean>> = {
  some: false,
  is: false,
  every: true,
  none: true,
  isNot: true,
};

export async function whereOf(work: Work, model: Model, where: unknown, scope: Scope = {}): Promise<unknown> {
  if (where === undefined || where === null) return where;
  if (!isArgs(where)) return refuseFilter(model, '`where` must be an object');
  const conditions = await Promise.all(
    entriesOf(where).map(([name, value]) => conditionOf(work, model, name, value, scope)),
  );
  return joinConditions(conditions);
}

async function conditionOf(
  work: Work,
  model: Model,
  name: string,
  value: unknown,
  scope: Scope,
): Promise<Args> {
  if (name === 'AND' || name === 'OR' || name === 'NOT') {
    const inner = name === 'AND' ? scope : { isNegated: scope.isNegated || name === 'NOT' };
    const rewrite = (item: unknown) => whereOf(work, model, item, inner);
    return { [name]: await mapItems(value, rewrite) };
  }
  const field = model.encrypted.get(name);
  if (field) return filterOf({ work, model, field, ...scope }, value);
  refuseIndexColumn(model, name);
  const target = targetOf(work.models, model, name);
  if (target) return { [name]: await relationOf(work, target, value, scope.isNegated) };
  if (model.columns.has(name)) {
    refuseReferences(work, model, name, value);
    return { [name]: value };
  }
  if (isArgs(value)) return { [name]: await compoundOf(work, model, name, value) };
  return refuseUnknown(model, name, '`where`');
}

async function relationOf(work: Work, target: Model, value: unknown, isNegated = false): Promise<unknown> {
  if (!isArgs(value)) {
    const isWrong = typeof value === 'object' && value !== null;
    return isWrong ? refuseFilter(target, 'the filter of a relation must be an object') : value;
  }
  if (!entriesOf(value).every(([name]) => Object.hasOwn(relationFilters, name)))
    return whereOf(work, target, value, { isNegated });
  return mapMembers(value, (name, where) =>
    whereOf(work, target, where, { isNegated: isNegated || relationFilters[name] === true }),
  );
}

async function compoundOf(work: Work, model: Model, key: string, columns: Args): Promise<Args> {
  const rewritten = entriesOf(columns).map(async ([name, value]) => {
    refuseIndexColumn(model, name);
    const field = model.encrypted.get(name);
    if (!field) {
      const isColumn = model.columns.get(name)?.kind !== 'object' && model.columns.has(name);
      return isColumn ? [name, value] : refuseUnknown(model, name, `\`${key}\``);
    }
    const [condition] = await conditionsOf({ work, model, field }, { oneOf: [value] });
    if (condition?.oneOf.length === 1) return [condition.index, condition.oneOf[0]];
    const problem = 'a compound key takes one fingerprint';
    const remedy = 'use findFirst, or the id, until the old index key is removed';
    return refuse('not_supported', { table: model.name, column: name }, problem, remedy);
  });
  return Object.fromEntries(await Promise.all(rewritten)) as Args;
}

function refuseFilter({ name }: Model, problem: string): never {
  const remedy = 'pass conditions by the names of their fields';
  return refuse('unknown_argument', { table: name }, problem, remedy);
}

function refuseReferences(work: Work, model: Model, name: string, value: unknown): void {
  if (!isArgs(value)) return;
  const { modelName, name: column } = value;
  const other = typeof modelName === 'string' ? work.models.get(modelName) : undefined;
  if (typeof column === 'string' && (other?.encrypted.has(column) || other?.indexes.has(column))) {
    const place = { table: model.name, column: name };
    refuse('not_supported', place, `${other.name}.${column} is encrypted`, 'compare after reading');
  }
  for (const [, member] of entriesOf(value)) refuseReferences(work, model, name, member);
}

/**
 * Prisma accepts only one fingerprint per column when it finds a row by a unique field. While an index key is replaced,
 * a value has several fingerprints: this function then reads the row first, and uses the fingerprint in this row.
 */
export async function uniqueOf(work: Work, model: Model, where: unknown): Promise<unknown> {
  const rewritten = await whereOf(work, model, where);
  if (!isArgs(rewritten)) return rewritten;
  // Skips a filter such as `{ in: […] }`, because Prisma refuses this filter in a unique look-up.
  const isValue = (field: string): boolean => isArgs(where) && !isArgs(where[field]);
  const several = Array.from(model.indexes)
    .filter(([column, field]) => isArgs(rewritten[column]) && isValue(field))
    .map(([column]) => column);
  if (several.length === 0) return rewritten;
  const select = Object.fromEntries(several.map((column) => [column, true]));
  const row = await work.find(model, { where: rewritten, select });
  const marks = several.map((column) => [column, row?.[column] ?? firstOf(rewritten[column])]);
  return { ...rewritten, ...(Object.fromEntries(marks) as Args) };
}

function firstOf(filter: unknown): unknown {
  const list = isArgs(filter) ? filter['in'] : undefined;
  return Array.isArray(list) ? list[0] : undefined;
}
