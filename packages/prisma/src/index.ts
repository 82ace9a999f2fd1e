export { encrypted, type EncryptedOptions } from './encrypted.ts';
export { EncryptedModelError, type EncryptedModelErrorCode } from './error.ts';
export type { ModelOptions } from './models.ts';
export type { Mapping } from './definition-types.ts';
export type { PlainInput } from './input-types.ts';
export type { OnErrors } from './open.ts';
export type { EncryptedExtension, PlainRow, PrismaPromise, QueryOptions } from './types.ts';
