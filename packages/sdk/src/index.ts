export { DecryptionError, FormatError, InputError } from '@eaas/protocol';
export type { Context, Engine, SyncEngine, Wrapped } from '@eaas/protocol';
export type { ApiKeyCalls, KeyCalls, ServerModeCalls } from './administration.ts';
export type {
  DecryptItem,
  DecryptOptions,
  EncryptItem,
  EncryptOptions,
  HashOptions,
  PrimeOptions,
  Rewrapped,
  WrapOptions,
} from './call-options.ts';
export type { Bundle, Ciphertext } from './ciphertext.ts';
export { type AuditLog, EaasClient, type EaasClientOptions } from './client.ts';
export type { UnwrapOptions } from './data-key-calls.ts';
export type { Engines } from './engines.ts';
export type { EnvelopeClient } from './envelope-client.ts';
export { EaasError, type EaasErrorCode, type SdkError, type Settled } from './errors.ts';
export type { EaasEvent } from './events.ts';
export type { CacheOptions, CachePreset, EnvelopeClientOptions } from './options.ts';
export type { Call, CallOptions, TransportOptions } from './transport.ts';
