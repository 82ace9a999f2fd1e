// The conditions of `where`, in Prisma's grammar: those on encrypted fields become conditions on their index columns.
import { refuseStatement as refuse, writesOlder } from '@eaas/sdk/internal';
import { conditionsOf, filterOf } from './filter.ts';
import { type Model, targetOf } from './models.ts';
import { type Args, argsOf, entriesOf, isArgs, joinConditions, mapItems, mapMembers } from './values.ts';
import { flatOf, refuseIndexColumn, refuseUnknown, type Scope, type Work } from './work.ts';

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
  if (field) return scope.unique?.[name] ?? filterOf({ work, model, field, ...scope }, value);
  refuseIndexColumn(model, name);
  const target = targetOf(work.models, model, name);
  if (target) return { [name]: await relationOf(work, target, value, scope.isNegated) };
  if (model.columns.has(name)) {
    refuseReferences(work, model, name, value);
    return { [name]: value };
  }
  if (isArgs(value)) return { [name]: compoundOf(model, name, value, scope) };
  return refuseUnknown(model, name, '`where`');
}

async function relationOf(work: Work, target: Model, value: unknown, isNegated = false): Promise<unknown> {
  if (!isArgs(value)) {
    const isWrong = typeof value === 'object' && value !== null;
    return isWrong ? refuseFilter(target, 'the filter of a relation must be an object') : value;
  }
  if (!entriesOf(value).every(([name]) => Object.hasOwn(relationFilters, name))) {
    return whereOf(work, target, value, { isNegated });
  }
  return mapMembers(value, (name, where) =>
    whereOf(work, target, where, { isNegated: isNegated || relationFilters[name] === true }),
  );
}

function compoundOf(model: Model, key: string, columns: Args, { unique }: Scope): Args {
  const rewritten = entriesOf(columns).map(([name, value]): Args => {
    refuseIndexColumn(model, name);
    const isPlain = !model.encrypted.has(name) && model.columns.get(name)?.kind !== 'object';
    if (isPlain && model.columns.has(name)) return { [name]: value };
    return unique?.[name] ?? refuseUnknown(model, name, `\`${key}\``);
  });
  return Object.assign({}, ...rewritten) as Args;
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
 * Rewrites a unique look-up, in which Prisma accepts one value per column. While an index key is replaced, a value has several
 * fingerprints, and beside a version before also another form: then the row is read first, and named by what it has.
 */
export async function uniqueOf(work: Work, model: Model, where: unknown): Promise<unknown> {
  const flat = flatOf(model, where);
  // Skips a filter such as `{ in: […] }`, because Prisma refuses this filter in a unique look-up.
  const fields = [...model.encrypted.values()].filter(
    ({ name }) => (flat[name] ?? null) !== null && !isArgs(flat[name]),
  );
  const sought = await Promise.all(
    fields.map(async (field) => {
      const [condition] = await conditionsOf({ work, model, field }, { oneOf: [flat[field.name]] });
      const { index = '', oneOf = [], older = [] } = condition ?? {};
      const [column, first] = writesOlder(field.field) ? [field.name, older[0]] : [index, oneOf[0]];
      return { name: field.name, column, first, isOne: oneOf.length === 1 && older.length === 0 };
    }),
  );
  let row: Args | null = null;
  if (!sought.every(({ isOne }) => isOne)) {
    const found = await whereOf(work, model, flat);
    const columns = sought.map(({ column }) => column);
    row = await work.find(model, { where: found, select: argsOf([...model.id, ...columns], () => true) });
    // In the other form, without a fingerprint.
    if (columns.some((column) => row?.[column] === null)) {
      const id = argsOf(model.id, (column) => row?.[column]);
      return { ...(model.id.length === 1 ? id : { [model.idName]: id }), AND: [found] };
    }
  }
  const unique = sought.map(({ name, column, first }) => [name, { [column]: row?.[column] ?? first }]);
  return whereOf(work, model, where, { unique: Object.fromEntries(unique) as Scope['unique'] });
}
