// What a query reads: its arguments, rewritten, and the shape of its result, which says where encrypted values stand in it. It
// reads besides what values are bound to, or compared with, and no index columns.
import { refuseStatement as refuse } from '@eaas/sdk/internal';
import { isBound, type Model, targetOf } from './models.ts';
import { type Args, entriesOf, isArgs, mapMembers } from './values.ts';
import { type Near, refuseIndexColumn, refuseUnknown, type Scope, type Work } from './work.ts';
import { whereOf } from './where.ts';

export interface Shape {
  readonly model: Model;
  readonly added: readonly string[];
  readonly relations: ReadonlyMap<string, Shape>;
  /** What to compare the decrypted rows of a list with, because the database also finds other rows. */
  readonly narrowing?: Args | undefined;
}

/** The arguments that name columns in which the database would compare, sort or compute with ciphertexts. */
const ofColumns = /^(?:orderBy|cursor|distinct|by|having|_count|_min|_max|_avg|_sum)$/;
const asTheyAre = /^(?:select|include|omit|take|skip|limit|skipDuplicates|relationLoadStrategy)$/;

/** Rewrites the arguments of a query, but what it selects. */
export async function argumentsOf(work: Work, model: Model, given: Args, scope?: Scope): Promise<Args> {
  return mapMembers(given, async (name, value) => {
    if (name === 'where') return whereOf(work, model, value, scope);
    if (ofColumns.test(name)) refuseColumns(work, model, value, name);
    else if (!asTheyAre.test(name)) refuseUnknown(model, name, 'the query');
    return value;
  });
}

/**
 * Refuses encrypted columns wherever `given` names columns: also of relations, within `AND`, and within a compound key. Encrypted
 * columns can be counted.
 */
export function refuseColumns(work: Work, model: Model, given: unknown, what: string): void {
  for (const item of [given].flat()) {
    if (typeof item === 'string') refuseColumn(model, item, what);
    for (const [name, value] of isArgs(item) ? entriesOf(item) : []) {
      const target = targetOf(work.models, model, name);
      if (target) refuseColumns(work, target, value, what);
      else if (model.columns.has(name)) refuseColumn(model, name, what);
      else if (typeof value === 'object' && value !== null) {
        refuseColumns(work, model, value, ofColumns.test(name) ? name : what);
      } else if (!name.startsWith('_')) refuseUnknown(model, name, `\`${what}\``);
    }
  }
}

function refuseColumn(model: Model, name: string, what: string): void {
  refuseIndexColumn(model, name);
  if (what === '_count' || !model.encrypted.has(name)) return;
  const problem = `\`${what}\` has no meaning for ciphertexts`;
  const remedy = 'use a column that is not encrypted, or do it after reading the rows';
  refuse('not_supported', { table: model.name, column: name }, problem, remedy);
}

/**
 * Rewrites the arguments of a query that returns rows. `isList` says that the result is a list, from which rows can be dropped
 * after decryption. Prisma accepts `where` only in relations that are lists.
 */
export async function readOf(
  work: Work,
  model: Model,
  given: Args,
  isList: boolean,
): Promise<{ args: Args; shape: Shape }> {
  const isCut = ['take', 'skip', 'cursor', 'distinct'].some((name) => given[name] !== undefined);
  const near: Near = {};
  const args = await argumentsOf(work, model, given, isList && !isCut ? { near } : {});
  const relations = new Map<string, Shape>();
  for (const kind of ['select', 'include']) {
    const { [kind]: chosen } = args;
    if (isArgs(chosen)) args[kind] = await chosenOf(work, model, chosen, kind, relations);
  }
  const compared = Object.keys(near);
  const { select, omit } = args;
  const isChosen = isArgs(select);
  const choice = isChosen ? select : hidden(model, omit);
  // Adds what is not read, but compared with, or must be known to open what is read.
  const isRead = (column: string): boolean => (choice[column] === true) === isChosen;
  const opened = [...model.encrypted.values()].filter(({ name }) => isRead(name) || compared.includes(name));
  const isShown = opened.some(({ field }) => work.statement.isRevealed || !field.isConcealed);
  if (model.core && isShown) work.statement.requireUser(model.core);
  const id = opened.some(isBound) ? model.id : [];
  const subject = opened.length > 0 ? model.subject : [];
  const older = opened.flatMap(({ field }) => field.previous?.columns ?? []);
  const added = [...new Set([...compared, ...id, ...subject, ...older])].filter((column) => !isRead(column));
  for (const column of added) choice[column] = isChosen;
  // Keeps both `select` and `omit`, so that Prisma refuses the combination.
  if (!isChosen && Object.keys(choice).length > 0) args['omit'] = choice;
  return { args, shape: { model, added, relations, narrowing: compared.length > 0 ? near : undefined } };
}

function hidden(model: Model, omit: unknown): Args {
  const given = isArgs(omit) ? omit : {};
  for (const name of Object.keys(given)) if (!model.columns.has(name)) refuseUnknown(model, name, '`omit`');
  return { ...given, ...Object.fromEntries(Array.from(model.indexes.keys(), (column) => [column, true])) };
}

/** Rewrites `select` or `include`, and notes the shapes of relations. */
async function chosenOf(
  work: Work,
  model: Model,
  given: Args,
  kind: string,
  relations: Map<string, Shape>,
): Promise<Args> {
  return mapMembers(given, async (name, value) => {
    const target = targetOf(work.models, model, name);
    if (value === false || value === null) return value;
    if (name === '_count') return countsOf(work, model, value);
    if (target) {
      const { args, shape } = await readOf(work, target, isArgs(value) ? value : {}, true);
      relations.set(name, shape);
      return isArgs(value) || Object.keys(args).length > 0 ? args : value;
    }
    if (kind !== 'select' || !model.columns.has(name)) return refuseUnknown(model, name, `\`${kind}\``);
    refuseIndexColumn(model, name);
    return value;
  });
}

async function countsOf(work: Work, model: Model, count: unknown): Promise<unknown> {
  if (!isArgs(count) || !isArgs(count['select'])) return count;
  const select = await mapMembers(count['select'], async (name, value) => {
    const target = targetOf(work.models, model, name) ?? refuseUnknown(model, name, '`_count`');
    return isArgs(value) ? { ...value, where: await whereOf(work, target, value['where']) } : value;
  });
  return { ...count, select };
}
