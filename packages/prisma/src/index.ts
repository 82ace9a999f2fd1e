export { extensionOf as encrypted, type EncryptedOptions } from './encrypted.ts';
export { EncryptedModelError, type EncryptedModelErrorCode } from './errors.ts';
export type { ModelOptions } from './models.ts';
