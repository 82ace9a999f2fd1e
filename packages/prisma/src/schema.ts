// What Prisma's data model lacks, and the text of the schema has.
import type { RuntimeDataModel, RuntimeField } from './models.ts';

type Declared = Pick<RuntimeField, 'nativeType' | 'isList' | 'key' | 'isRandom' | 'isSerial' | 'made'>;

/**
 * Adds the types of the database, such as `Uuid` or `Char(3)`, the columns of foreign keys, what makes defaults, the names of
 * compound keys, and what is unique.
 */
export function withSchema({ models }: RuntimeDataModel, schema: string): RuntimeDataModel {
  const isPostgres = /^\s*provider\s*=\s*"postgres(?:ql)?"/m.test(schema);
  const { declared, keyNames, uniques } = declaredIn(schema, isPostgres);
  const entries = Object.entries(models).map(([model, { fields, ...others }]) => {
    const isQuoted = isPostgres && /[A-Z]/.test(others.dbName ?? model);
    const own = fields.map((field) => ({ ...field, ...declared.get(`${model}.${field.name}`) }));
    return [model, { ...others, keyNames, unique: uniques.get(model), isQuoted, fields: own }] as const;
  });
  return { models: Object.fromEntries(entries) };
}

function declaredIn(schema: string, isPostgres: boolean) {
  const declared = new Map<string, Declared>();
  const keyNames = new Map<string, string>();
  const uniques = new Map<string, string[]>();
  let model = '';
  for (const line of schema.split('\n')) {
    const code = line.replaceAll(/"(?:[^"\\]|\\.)*"/g, '"…"').replace(/\/\/.*/, '');
    model = /^\s*(?:model|view)\s+(\w+)/.exec(code)?.[1] ?? model;
    const [, one = '', key = one] =
      /^\s*(?:(\w+)\s.*\s@unique\b|@@(?:id|unique)\b.*\[(.*)\])/.exec(code) ?? [];
    const [, keyName] = /\bname:\s*"(\w+)"/.exec(line) ?? [];
    // Without the arguments of columns, as in `[city, id(sort: Desc)]`.
    const columns = key.match(/\w+(?![^(]*\))/g) ?? [];
    if (keyName !== undefined) keyNames.set(`${model}.${columns.join('_')}`, keyName);
    uniques.set(model, [...(uniques.get(model) ?? []), ...columns]);
    const [, field, list] = /^\s*(\w+)\s+\w+(\[\])?/.exec(code) ?? [];
    if (field === undefined) continue;
    const [, nativeType] = /\s.*@\w+\.(\w+(?:\(\d+\))?)/.exec(code) ?? [];
    const isRandom =
      /@default\(uuid\(4?\)\)/.test(code) ||
      (code.includes('@default(dbgenerated("…"))') && line.includes('dbgenerated("gen_random_uuid()")'));
    const isSerial = isPostgres && code.includes('@default(autoincrement())');
    const [, made] = /@default\(\s*(?!autoincrement\()(\w+\([^)]*\))/.exec(code) ?? [];
    declared.set(`${model}.${field}`, {
      nativeType,
      isList: list !== undefined,
      key: keyIn(code),
      isRandom,
      isSerial,
      made: isRandom ? undefined : made,
    });
  }
  return { declared, keyNames, uniques };
}

/** The columns of a foreign key, each with the column of the other model that it contains. */
function keyIn(code: string): RuntimeField['key'] {
  const [, relation = ''] = /@relation\(([^)]*)\)/.exec(code) ?? [];
  const namesOf = (argument: string): string[] =>
    new RegExp(`\\b${argument}:\\s*\\[([^\\]]*)\\]`).exec(relation)?.[1]?.match(/\w+/g) ?? [];
  const references = namesOf('references');
  return new Map(namesOf('fields').map((column, at) => [column, references[at] ?? '']));
}
