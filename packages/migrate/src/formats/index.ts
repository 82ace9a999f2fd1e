// Readers for values that other libraries encrypted, and their keys, so that a migration can move such a column.
export { keyFromBase64, keyFromHash, keyFromHex, keyFromScrypt, keyFromSha256, keyFromUtf8 } from './keys.ts';
export { joined, type JoinedOptions } from './joined.ts';
export { betterAuth, cloak, fernet, laravel, n8n, opensslSalted, typeormEncrypted } from './libraries.ts';
export type { BetterAuthOptions, LaravelOptions, TypeormEncryptedOptions } from './libraries.ts';
export { asIs, firstOf, type Reader } from './reader.ts';
