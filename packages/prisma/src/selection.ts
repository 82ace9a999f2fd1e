import { isBound, type Model, targetOf } from './models.ts';
import { refuseEncrypted, refuseEncryptedIn, refuseOrder } from './order.ts';
import { type Args, entriesOf, isArgs } from './values.ts';
import { type Near, refuseIndexColumn, refuseUnknown, type Work } from './work.ts';
import { whereOf } from './where.ts';

export interface Shape {
  readonly model: Model;
  readonly added: readonly string[];
  readonly relations: ReadonlyMap<string, Shape>;
  /** What to compare the decrypted rows of a list with, because the database also finds other rows. */
  readonly narrowing?: Args | undefined;
}

/**
 * `isList` says that the result is a list, from which rows can be dropped after decryption. Prisma accepts `where` only
 * in relations that are lists.
 */
export async function readOf(
  work: Work,
  model: Model,
  given: Args,
  isList = false,
): Promise<{ args: Args; shape: Shape }> {
  const isCut = ['take', 'skip', 'cursor', 'distinct'].some((name) => given[name] !== undefined);
  const near: Near = {};
  const where = await whereOf(work, model, given['where'], isList && !isCut ? { near } : {});
  const { args, shape } = await readArgs(work, model, given, where, Object.keys(near));
  return { args, shape: Object.keys(near).length > 0 ? { ...shape, narrowing: near } : shape };
}

const passedOn = new Set(['select', 'include', 'omit', 'take', 'skip', 'relationLoadStrategy']);

async function readArgs(
  work: Work,
  model: Model,
  args: Args,
  where: unknown,
  compared: readonly string[],
): Promise<{ args: Args; shape: Shape }> {
  const rewritten: Args = {};
  let shape: Shape = { model, added: [], relations: new Map() };
  for (const [name, value] of entriesOf(args)) {
    rewritten[name] = value;
    if ((name === 'select' || name === 'include') && isArgs(value)) {
      const selection = await selectionOf(work, model, value, name, compared);
      rewritten[name] = selection.args;
      shape = selection.shape;
    } else if (name === 'where') rewritten[name] = where;
    else if (name === 'orderBy') refuseOrder(work, model, value);
    else if (name === 'cursor') refuseEncryptedIn(model, value, name);
    else if (name === 'distinct') for (const column of [value].flat()) refuseEncrypted(model, column, name);
    else if (!passedOn.has(name)) refuseUnknown(model, name, 'the query');
  }
  // Keeps both `select` and `omit`, so that Prisma refuses the combination.
  if (isArgs(rewritten['select'])) return { args: rewritten, shape };
  const hidden = Object.fromEntries(Array.from(model.indexes.keys(), (column) => [column, true]));
  const { omit } = rewritten;
  const given = isArgs(omit) ? omittedOf(model, omit, compared) : { omit: {}, added: shape.added };
  const all = { ...given.omit, ...hidden };
  if (Object.keys(all).length === 0) return { args: rewritten, shape };
  return { args: { ...rewritten, omit: all }, shape: { ...shape, added: given.added } };
}

async function selectionOf(
  work: Work,
  model: Model,
  given: Args,
  kind: 'select' | 'include',
  compared: readonly string[],
) {
  const args: Args = {};
  const relations = new Map<string, Shape>();
  for (const [name, value] of entriesOf(given)) {
    const target = targetOf(work.models, model, name);
    if (value === false || value === null) args[name] = value;
    else if (name === '_count') args[name] = await relationCountsOf(work, model, value);
    else if (target) {
      const read = await readOf(work, target, isArgs(value) ? value : {}, true);
      args[name] = isArgs(value) || Object.keys(read.args).length > 0 ? read.args : value;
      relations.set(name, read.shape);
    } else if (kind === 'select' && model.columns.has(name)) {
      refuseIndexColumn(model, name);
      args[name] = value;
    } else refuseUnknown(model, name, `\`${kind}\``);
  }
  const added = kind === 'select' ? neededBesides(model, compared, (column) => args[column] === true) : [];
  for (const column of added) args[column] = true;
  return { args, shape: { model, added, relations } };
}

function omittedOf(model: Model, given: Args, compared: readonly string[]): { omit: Args; added: string[] } {
  const omit = { ...given };
  for (const name of Object.keys(omit)) if (!model.columns.has(name)) refuseUnknown(model, name, '`omit`');
  const added = neededBesides(model, compared, (column) => omit[column] !== true);
  for (const column of added) omit[column] = false;
  return { omit, added };
}

/** The columns that are not read, but are compared with, or must be known to open what is read. */
function neededBesides(
  model: Model,
  compared: readonly string[],
  isRead: (column: string) => boolean,
): string[] {
  const opened = [...model.encrypted.values()].filter(({ name }) => isRead(name) || compared.includes(name));
  const id = opened.some(isBound) ? model.id : [];
  const subject = opened.length > 0 ? model.subject : [];
  return [...new Set([...compared, ...id, ...subject])].filter((column) => !isRead(column));
}

async function relationCountsOf(work: Work, model: Model, count: unknown): Promise<unknown> {
  if (!isArgs(count) || !isArgs(count['select'])) return count;
  const select: Args = {};
  for (const [name, value] of entriesOf(count['select'])) {
    const target = targetOf(work.models, model, name);
    if (!target) return refuseUnknown(model, name, '`_count`');
    select[name] = isArgs(value) ? { ...value, where: await whereOf(work, target, value['where']) } : value;
  }
  return { ...count, select };
}
