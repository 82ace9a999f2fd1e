import type { FieldDescription, RecordId } from '@eaas/sdk/fields';
import { refuse } from './error.ts';
import { type Model, targetOf } from './models.ts';
import { type Args, entriesOf, isArgs } from './values.ts';
import { idColumns, idOf, type Place, refuseIndexColumn, refuseUnknown, type Work } from './work.ts';

export async function createOf(work: Work, model: Model, data: unknown, needsId = false): Promise<Args> {
  const { columns, values: given } = await splitOf(work, model, data, undefined);
  const values = { ...absentOthers(model, given), ...given };
  if ((needsId || bindsRow(model, values)) && idOf(model, columns) === undefined) {
    const [column = ''] = model.id;
    if (!model.newId || model.id.length > 1) {
      refuse(
        'unknown_id',
        { model: model.name, field: column },
        'the id of a new row must be known before its fields are encrypted',
        model.id.length > 1
          ? "pass the whole id in `data` of a separate operation, or define the fields with context: 'field'"
          : "pass the id in `data`, pass `newId`, or define the fields with context: 'field'",
      );
    }
    columns[column] = model.newId();
  }
  seal(work, model, values, columns, idOf(model, columns));
  return columns;
}

export async function updateOf(
  work: Work,
  model: Model,
  data: unknown,
  place: Place,
): Promise<{ data: Args; id: RecordId | undefined }> {
  const { columns, values } = await splitOf(work, model, data, place);
  const needsId = bindsRow(model, values);
  const changesId = model.id.some((column) => columns[column] !== undefined);
  const isEncrypted = [...model.encrypted.values()].some((field) => field.isBoundToRow);
  const id = needsId || (changesId && isEncrypted) ? await place.id() : undefined;
  if (changesId && isEncrypted) refuseNewId(model, columns, id);
  seal(work, model, values, columns, id);
  return { data: columns, id: needsId ? id : undefined };
}

export function needsRow(model: Model, data: unknown): boolean {
  if (!isArgs(data)) return false;
  const values = entriesOf(data).flatMap(([name, value]) => {
    const field = model.encrypted.get(name);
    return field ? [[name, valueOf(model, field, value)]] : [];
  });
  return bindsRow(model, Object.fromEntries(values) as Args);
}

/**
 * Returns null for encrypted fields that share an index with a field in `given`, because the fingerprint of the index
 * is computed from all fields of the index. The caller replaces a null if the app passes a value.
 */
function absentOthers(model: Model, given: Args): Args {
  const named = Object.keys(given).flatMap((name) => model.encrypted.get(name) ?? []);
  const others = Array.from(model.encrypted.values()).flatMap(({ name, parts }) =>
    parts.map((part) => [name, ...part.others]),
  );
  const needed = others.filter((names) => named.some(({ name }) => names.includes(name))).flat();
  return Object.fromEntries(needed.map((name) => [name, null]));
}

async function splitOf(work: Work, model: Model, data: unknown, place: Place | undefined) {
  if (!isArgs(data)) {
    const remedy = 'pass the values by the names of their fields';
    return refuse('unknown_argument', { model: model.name }, '`data` must be an object', remedy);
  }
  const values: Args = {};
  const entries = entriesOf(data).map(async ([name, value]): Promise<[string, unknown][]> => {
    const field = model.encrypted.get(name);
    if (field) {
      requireJsonValue(model, field, value);
      values[name] = place ? valueOf(model, field, value) : value;
      return [];
    }
    refuseIndexColumn(model, name);
    const target = targetOf(work.models, model, name);
    if (target) return [[name, await work.nested(work, model, target, name, value, place)]];
    return model.columns.has(name) ? [[name, value]] : refuseUnknown(model, name, '`data`');
  });
  const columns = Object.fromEntries((await Promise.all(entries)).flat());
  return { columns, values };
}

/**
 * Refuses `{ set: value }` in a JSON field, because nobody can tell whether it is Prisma's operation or the value: to
 * read it as a value would store the wrong value for an app that means the operation.
 */
function requireJsonValue(model: Model, field: FieldDescription, value: unknown): void {
  if (field.type !== 'json' || !isArgs(value) || Object.keys(value).join() !== 'set') return;
  refuse(
    'unsupported_value',
    { model: model.name, field: field.name },
    '`{ set }` is not an operation of a JSON field',
    'pass the value itself; a value whose only member is `set` must be inside another object',
  );
}

function valueOf(model: Model, field: FieldDescription, value: unknown): unknown {
  if (!isArgs(value) || field.type === 'json') return value;
  const names = Object.keys(value).join(', ');
  if (names === 'set') return value['set'];
  return refuse(
    'unsupported_value',
    { model: model.name, field: field.name },
    `\`${names}\` cannot change a ciphertext`,
    'read the row, compute the value and write it',
  );
}

function bindsRow(model: Model, values: Args): boolean {
  return entriesOf(values).some(([name, value]) => value !== null && model.encrypted.get(name)?.isBoundToRow);
}

function refuseNewId(model: Model, columns: Args, id: RecordId | undefined): void {
  const next = idOf(model, { ...idColumns(model, columns) });
  if (next !== undefined && String(next) === String(id)) return;
  refuse(
    'unsupported_value',
    { model: model.name, field: model.id.join() },
    'ciphertexts are bound to the id of their row',
    'read the row, create it with the new id and delete the old one',
  );
}

function seal(work: Work, model: Model, values: Args, into: Args, id: RecordId | undefined): void {
  if (Object.keys(values).length > 0) work.sealings.push({ model, values, into, id });
}
