// What Prisma's data model lacks, and the text of the schema has.
import type { RuntimeDataModel, RuntimeField } from './models.ts';

type Declared = Omit<RuntimeField, 'name' | 'dbName' | 'kind' | 'type' | 'relationName'>;

/**
 * Adds the types of the database, such as `Uuid` or `Char(3)`, the columns of foreign keys, what makes defaults, and the names of
 * compound keys.
 */
export function withSchema({ models }: RuntimeDataModel, schema: string): RuntimeDataModel {
  const isPostgres = /^\s*provider\s*=\s*"postgres(?:ql)?"/m.test(schema);
  const { declared, keyNames } = declaredIn(schema, isPostgres);
  return {
    models: Object.fromEntries(
      Object.entries(models).map(([model, { fields, ...others }]) => [
        model,
        {
          ...others,
          keyNames,
          isQuoted: isPostgres && /[A-Z]/.test(others.dbName ?? model),
          fields: fields.map((field) => ({ ...field, ...declared.get(`${model}.${field.name}`) })),
        },
      ]),
    ),
  };
}

function declaredIn(schema: string, isPostgres: boolean) {
  const declared = new Map<string, Declared>();
  const keyNames = new Map<string, string>();
  let model = '';
  const declare = (field: string, own: Declared) =>
    declared.set(`${model}.${field}`, { ...declared.get(`${model}.${field}`), ...own });
  for (const line of schema.split('\n')) {
    const code = line.replaceAll(/"(?:[^"\\]|\\.)*"/g, '"…"').replace(/\/\/.*/, '');
    model = /^\s*(?:model|view)\s+(\w+)/.exec(code)?.[1] ?? model;
    const [, key = ''] = /^\s*@@(?:id|unique)\b.*\[(.*)\]/.exec(code) ?? [];
    const [, keyName] = /\bname:\s*"(\w+)"/.exec(line) ?? [];
    // Without the arguments of columns, as in `[city, id(sort: Desc)]`.
    const columns = key.match(/\w+(?![^(]*\))/g) ?? [];
    if (keyName !== undefined) keyNames.set(`${model}.${columns.join('_')}`, keyName);
    for (const column of columns) declare(column, { isUnique: true });
    const [, field, list] = /^\s*(\w+)\s+\w+(\[\])?/.exec(code) ?? [];
    if (field === undefined) continue;
    const [, nativeType] = /\s.*@\w+\.(\w+(?:\(\d+\))?)/.exec(code) ?? [];
    const isRandom =
      /@default\(uuid\(4?\)\)/.test(code) ||
      (code.includes('@default(dbgenerated("…"))') && line.includes('dbgenerated("gen_random_uuid()")'));
    const isSerial = isPostgres && code.includes('@default(autoincrement())');
    const [, made] = /@default\(\s*(?!autoincrement\()(\w+\([^)]*\))/.exec(code) ?? [];
    declare(field, {
      nativeType,
      isList: list !== undefined,
      key: keyIn(code),
      isRandom,
      isSerial,
      made: isRandom ? undefined : made,
      ...(/\s@unique\b/.test(code) && { isUnique: true }),
    });
  }
  return { declared, keyNames };
}

/** The columns of a foreign key, each with the column of the other model that it contains. */
function keyIn(code: string): RuntimeField['key'] {
  const [, relation = ''] = /@relation\(([^)]*)\)/.exec(code) ?? [];
  const namesOf = (argument: string): string[] =>
    new RegExp(`\\b${argument}:\\s*\\[([^\\]]*)\\]`).exec(relation)?.[1]?.match(/\w+/g) ?? [];
  const references = namesOf('references');
  return new Map(namesOf('fields').map((column, at) => [column, references[at] ?? '']));
}
