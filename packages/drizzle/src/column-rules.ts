import type { Field, PartIndexes } from '@eaas/sdk/fields';
import type { EaasConfig, Role } from './encryption.ts';
import { refuse } from './error.ts';
import type { ColumnSpec } from './spec.ts';

export function roleIn(config: EaasConfig['eaas'], table: string, column: string): Role {
  return 'role' in config ? config : { ...config, role: 'value', table, column };
}

export function mapToDriver(role: Role, value: unknown): unknown {
  if (role.role === 'index') return value;
  return refuse(
    'not_encrypted',
    role,
    'a value was about to be sent to the database without encryption',
    'await a statement of the database that `encrypted` returned',
  );
}

let isOpening = false;

/**
 * Runs `map`. An encrypted column returns ciphertexts only while `map` runs, and throws at any other time. `map` must
 * be synchronous, so that no other statement runs during `map`.
 */
export function whileOpening<T>(map: () => T): T {
  const before = isOpening;
  isOpening = true;
  try {
    return map();
  } finally {
    isOpening = before;
  }
}

export function mapFromDriver(role: Role, value: unknown): unknown {
  if (isOpening || role.role === 'index') return value;
  return refuse(
    'not_decrypted',
    role,
    'a stored value was about to be returned without decryption',
    'await a query of the database that `encrypted` returned',
  );
}

export function searchableSpec<Value>({ field, search }: ColumnSpec<Value>, options: unknown): Field<Value> {
  return search ? search(options as never) : refuseSearch(field);
}

export function partsSpec<Value>(
  { search }: ColumnSpec<Value>,
  field: Field<Value>,
  parts: PartIndexes<Value>,
): Field<Value> {
  if (!search) return refuseSearch(field);
  for (const [name, { column, bits }] of Object.entries(parts)) {
    if (column !== true) {
      refuse('schema', {}, `the index column is always called \`<column>_${name}_index\``, 'omit `column`');
    }
    if (bits < 64)
      refuse(
        'schema',
        {},
        `a search in an index of ${bits} bits also finds values that do not match`,
        'use 64 bits or more',
      );
  }
  return { ...field, parts };
}

function refuseSearch({ type }: Pick<Field<unknown>, 'type'>): never {
  return refuse(
    'schema',
    {},
    `a column of ${type.name} cannot be searched`,
    'add a searchable column for the part of the value to search by',
  );
}

const remedies = {
  default: 'the definition of the table would hold it as plaintext, so use `$defaultFn`',
  generatedAlwaysAs: 'the database cannot encrypt, so compute the value in the app',
  primaryKey: 'two encryptions of a value differ, so use an id that is not encrypted',
  references: 'two encryptions of a value differ, so refer to a column that is not encrypted',
  array: 'use `encryptedJson`',
} as const;

export function unusable(name: string, method: keyof typeof remedies): never {
  const column = name === '' ? undefined : name;
  return refuse('schema', { column }, `an encrypted column cannot have \`${method}\``, remedies[method]);
}
