export { keyFromBase64, keyFromHex, keyFromScrypt, keyFromSha256, keyFromUtf8 } from './keys.ts';
export { joined, type JoinedOptions } from './joined.ts';
export { betterAuth, cloak, fernet, laravel, typeormEncrypted } from './libraries.ts';
export type { BetterAuthOptions, LaravelOptions, TypeormEncryptedOptions } from './libraries.ts';
export { asIs, firstOf, type Reader } from './reader.ts';
