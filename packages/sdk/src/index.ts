export { DecryptionError, EaasError, FormatError, InputError } from '@eaas/protocol';
export { LoadError } from '@eaas/protocol/internal';
export type { Context, Engine, SyncEngine, Wrapped } from '@eaas/protocol';
export type { ProofError, PublicKeyChangedError } from '@eaas/protocol/blind-hash';
export type { ApiKeyCalls, KeyCalls, KeyFilter, ServerModeCalls } from './administration.ts';
export type {
  As,
  DecryptedAs,
  DecryptedForm,
  DecryptItem,
  DecryptOptions,
  EncryptedAs,
  EncryptedForm,
  EncryptItem,
  EncryptOptions,
  HashOptions,
  PrimeOptions,
  Rewrapped,
  UnwrapOptions,
  WrapOptions,
} from './call-options.ts';
export type { Bundle, Ciphertext } from './ciphertext.ts';
export type { AuditLog } from './audit/methods.ts';
export { EaasClient, type EaasClientOptions, type PublicKeys } from './client.ts';
export type { CacheLimits } from './data-keys/cache.ts';
export type { BudgetLimits } from './data-keys/encrypting.ts';
export type { Engines } from './engines.ts';
export type { EnvelopeClient } from './envelope-client.ts';
export {
  ClientError,
  type ClientErrorCode,
  type SdkError,
  ServiceError,
  type ServiceErrorCode,
  type Settled,
} from './errors.ts';
export type { EaasEvent } from './events.ts';
export type { PagesOptions } from './listing.ts';
export type { CacheOptions, CachePreset, EnvelopeClientOptions, OptionalLimits } from './options.ts';
export type { Call, CallOptions, TransportOptions } from './transport.ts';
