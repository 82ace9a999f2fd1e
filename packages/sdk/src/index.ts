export { DecryptionError, EaasError, FormatError, InputError } from '@eaas/protocol/internal-core';
export { LoadError } from '@eaas/protocol/internal';
export type { Context, Engine, SyncEngine, Wrapped } from '@eaas/protocol';
export type {
  ApiKeyCalls,
  IssuerCalls,
  KeyCalls,
  KeyFilter,
  ServerModeCalls,
} from './client/administration.ts';
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
} from './options/call-options.ts';
export type { Bundle, Ciphertext } from './client/ciphertext.ts';
export type { AuditLog } from './audit/methods.ts';
export type { AuditEntry, AuditFilter, AuditPage, AuditPageQuery, ListOptions } from './audit/query.ts';
export {
  type OwnLog,
  type PersonReportOptions,
  reportColumns,
  reportCsv,
  type ReportOptions,
  type ReportRow,
  reportRow,
} from './audit/report.ts';
export type { AuditVerification, VerifyOptions } from './audit/verify.ts';
export type { EraseOptions, SubjectCalls, SubjectName } from './client/subjects.ts';
export {
  EaasClient,
  type EaasClientOptions,
  type PublicKeys,
  type ServiceInProcess,
} from './client/client.ts';
export type { CacheLimits } from './data-keys/cache.ts';
export type { BudgetLimits } from './data-keys/encrypting.ts';
export type { Engines } from './engines/engines.ts';
export type { EnvelopeClient } from './client/envelope-client.ts';
export {
  ClientError,
  type ClientErrorCode,
  type SdkError,
  ServiceError,
  type ServiceErrorCode,
  type Settled,
} from './errors.ts';
export type { EaasEvent } from './client/events.ts';
export type { Receipt } from '@eaas/protocol/wire';
export type { PagesOptions } from './client/listing.ts';
export type { CacheOptions, CachePreset, ClientOptions, OptionalLimits } from './options/client-options.ts';
export type { SignInOptions, TokenClaims } from './options/sign-in.ts';
export type { Call, CallOptions, TransportOptions } from './transport/transport.ts';
