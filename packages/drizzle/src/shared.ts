// What the entries of all dialects export.
export { EncryptedTableError, type EncryptionOptions } from '@eaas/sdk/fields';
export { fieldsOf } from './access.ts';
export type { TableOptions } from './table.ts';
export type { EncryptedBuilder, EncryptedDatabase } from './types.ts';
export { matches } from './walk.ts';
