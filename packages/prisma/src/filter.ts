// The filter of an encrypted field, in Prisma's grammar: conditions on its index columns.
import { type Condition, nearMisses, refuseStatement as refuse, type Statement } from '@eaas/sdk/internal';
import type { FieldPlan, Model } from './models.ts';
import { type Args, entriesOf, isArgs } from './values.ts';
import type { Scope, Work } from './work.ts';

/** An encrypted field in a condition. */
interface At extends Scope {
  readonly work: Work;
  readonly model: Model;
  readonly field: FieldPlan;
}

/**
 * Returns the Prisma filter for a condition on an encrypted field. Under `NOT`, the filter is then NULL only if the field is
 * NULL. Otherwise the filter could also be NULL for other rows, and SQL would omit these rows, because `NOT NULL` is NULL.
 */
export async function filterOf(at: At, filter: unknown): Promise<Args> {
  if (filter === null) return { [at.field.name]: null };
  if (!isArgs(filter)) return isIn(at, [filter]);
  if (Object.keys(filter).length === 0) {
    return refuseIn(at, 'the filter is empty', 'if it is a promise, await it, otherwise omit it');
  }
  const terms = await Promise.all(entriesOf(filter).map(([name, operand]) => termOf(at, name, operand)));
  return terms.length === 1 && terms[0] ? terms[0] : { AND: terms };
}

async function termOf(at: At, operator: string, operand: unknown): Promise<Args> {
  const { name, indexes } = at.field;
  const negated = { ...at, isNegated: true, near: undefined };
  switch (operator) {
    case 'equals':
      return operand === null ? { [name]: null } : isIn(at, [operand]);
    case 'in':
      return isIn(at, listOf(at, operand));
    case 'not':
      return operand === null ? { [name]: { not: null } } : { NOT: await filterOf(negated, operand) };
    case 'notIn':
      return { NOT: await isIn(negated, listOf(at, operand)) };
    default: {
      const parts = indexes.flatMap((index) => index.name ?? []);
      if (parts.includes(operator)) return hasPart(at, { [operator]: operand });
      const names = ['equals', 'in', 'not', 'notIn', ...parts].join('`, `');
      const other = `filter by \`${names}\`, or filter the rows after reading them`;
      const ownCase = "define the field with searchable({ normalize: ['lowercase'] })";
      const problem = `an encrypted field has no filter \`${operator}\``;
      return refuseIn(at, problem, operator === 'mode' ? ownCase : other);
    }
  }
}

function refuseIn({ model, field }: At, problem: string, remedy: string): never {
  return refuse('not_supported', { table: model.name, column: field.name }, problem, remedy);
}

function listOf(at: At, operand: unknown): readonly unknown[] {
  if (Array.isArray(operand)) return operand;
  return refuseIn(at, '`in` and `notIn` take a list of values', 'pass an array');
}

/** Where the near misses of a search by parts are dropped. */
const dropping =
  'the `where` of `findMany` or of a relation that it reads, without `take`, `skip`, `cursor` and `distinct` and ' +
  'outside `OR`, and count or cut the rows yourself';

/** Returns the conditions that the index columns must meet. */
export async function conditionsOf(
  { work: { isRead, statement }, model: { core: table }, field: { name: column }, ...scope }: At,
  query: Pick<Parameters<Statement['find']>[0], 'oneOf' | 'parts'>,
): Promise<readonly Condition[]> {
  const { isNegated = false, near } = scope;
  if (!table) return [];
  const misses = near && query.parts && nearMisses(table, column, query.parts);
  const isDropped = misses !== undefined && !Object.keys(misses).some((name) => near?.[column]?.[name]);
  if (near && isDropped) near[column] = { ...near[column], ...misses };
  return statement.find({ table, column, isRead, isNegated, dropped: isDropped || dropping, ...query })();
}

async function isIn(at: At, values: readonly unknown[]): Promise<Args> {
  const [condition] = await conditionsOf(at, { oneOf: values });
  const { index = '', oneOf = [] } = condition ?? {};
  const matches = { [index]: oneOf.length === 1 ? oneOf[0] : { in: oneOf } };
  const isWhole = !at.isNegated || at.field.field.type.name !== 'text' || values.length === 0;
  // A text that is empty after normalization has no fingerprint. For such a text, the filter must be false
  // and not NULL, so that `NOT` works.
  const whole = { OR: [{ AND: [matches, { [index]: { not: null } }] }, { [at.field.name]: '' }] };
  return orOlder(at.field, isWhole ? matches : whole, condition);
}

/** Adds the rows that have one of the values in the form of the version before. */
function orOlder(
  { name }: FieldPlan,
  found: Args,
  { older = [], sealedLike }: Partial<Condition> = {},
): Args {
  if (older.length === 0) return found;
  const isOlder = { [name]: { in: older } };
  // Prisma sends the text as the pattern of `like`, in which `_` is any character.
  const isSealed = sealedLike === undefined ? undefined : { [name]: { startsWith: sealedLike } };
  return { OR: [isOlder, isSealed ? { AND: [isSealed, found] } : found] };
}

async function hasPart(at: At, parts: Args): Promise<Args> {
  const conditions = await conditionsOf(at, { parts });
  const [first] = conditions;
  if (first && !first.isList) return { [first.index]: { in: first.oneOf } };
  return {
    AND: conditions.map(({ index, oneOf }) => ({ OR: oneOf.map((contains) => ({ [index]: { contains } })) })),
  };
}
