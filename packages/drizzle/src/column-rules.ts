import type { Field } from '@eaas/sdk/fields';
import type { EaasConfig, Role } from './encryption.ts';
import { refuse } from './error.ts';
import type { ColumnSpec } from './spec.ts';

/** The role of a column, from the configuration of its builder. */
export function roleIn(config: EaasConfig['eaas'], table: string, column: string): Role {
  return 'role' in config ? config : { ...config, role: 'value', table, column };
}

/** Throws EncryptedColumnError for a value of an encrypted column. Ciphertexts are passed without this conversion. */
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

/** Runs a synchronous mapping whose result is decrypted afterwards. */
export function whileOpening<T>(map: () => T): T {
  const before = isOpening;
  isOpening = true;
  try {
    return map();
  } finally {
    isOpening = before;
  }
}

/** Returns the ciphertext while a result is mapped for decryption. Otherwise throws EncryptedColumnError. */
export function mapFromDriver(role: Role, value: unknown): unknown {
  if (isOpening || role.role === 'index') return value;
  return refuse(
    'not_decrypted',
    role,
    'a stored value was about to be returned without decryption',
    'await a query of the database that `encrypted` returned',
  );
}

/** Returns the field with an index. Throws EncryptedColumnError if values of the type cannot be searched. */
export function searchableSpec<Value>({ field, search }: ColumnSpec<Value>, options: unknown): Field<Value> {
  if (search) return search(options as never);
  return refuse(
    'schema',
    {},
    `a column of ${field.type.name} cannot be searched`,
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

/** Throws EncryptedColumnError for a method of column builders that cannot work on an encrypted column. */
export function unusable(name: string, method: keyof typeof remedies): never {
  const column = name === '' ? undefined : name;
  return refuse('schema', { column }, `an encrypted column cannot have \`${method}\``, remedies[method]);
}
