export { encrypted, type EncryptedOptions, type OnErrors } from './encrypted.ts';
export { EncryptedTableError, type EncryptedTableErrorCode } from '@eaas/sdk/fields';
export type { ModelOptions } from './models.ts';
export type { Mapping } from './definition-types.ts';
export type { PlainInput } from './input-types.ts';
export type { EncryptedExtension, PlainRow, PrismaPromise, QueryOptions } from './types.ts';
