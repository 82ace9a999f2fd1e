// What an app imports.
export { type PrismaEncryptionOptions, withEncryption } from './encrypted.ts';
export { EncryptedTableError } from '@eaas/sdk/fields';
export type { ModelOptions } from './models.ts';
export type { ModelMapping } from './definition-types.ts';
export type { EncryptedClient, EncryptedTransaction, PlainResult } from './types.ts';
