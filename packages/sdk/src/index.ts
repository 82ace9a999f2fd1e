// What an app imports to encrypt and to administer keys: `EaasClient`, its errors and its types.
export { DecryptionError, EaasError, FormatError, InputError, LoadError } from '@eaas/protocol/internal';
export type { Context, Engine, SyncEngine, Wrapped } from '@eaas/protocol';
export type {
  ApiKeyCalls,
  ApiKeyRecord,
  EraseOptions,
  IssuerCalls,
  IssuerRecord,
  KeyCalls,
  KeyRecord,
  ServerModeCalls,
  SubjectCalls,
  SubjectName,
} from './client/administration.ts';
export type { ExportedKey } from './http/whole-export.ts';
export type { DecryptedAs, DecryptedForm, DecryptItem, DecryptOptions } from './client/decrypt.ts';
export type { EncryptItem, EncryptOptions } from './client/encrypt.ts';
export type { Rewrapped } from './client/rewrap.ts';
export type { HashOptions, UnwrapOptions, WrapOptions } from './data-keys/calls.ts';
export type { Bundle, Ciphertext, EncryptedAs, EncryptedForm } from './data-keys/ciphertext.ts';
export type { AuditLog, AuditRange, AuditVerification, AuditVerifyOptions } from './audit/methods.ts';
export type { AuditEntry, AuditFilter, AuditPage, AuditPageQuery, AuditListOptions } from './audit/query.ts';
export type { PersonReportOptions, ReportOptions, ReportRow } from './audit/report.ts';
export * from './client/client.ts';
export type { Engines } from './engines/engines.ts';
export type { EnvelopeClient, OwnAudit, PrimeOptions } from './client/envelope-client.ts';
export type { ClientErrorCode, SdkError, ServiceErrorCode, Settled } from './errors.ts';
export { ClientError, ServiceError } from './errors.ts';
export type { Half } from './half/options.ts';
export type { EaasEvent, Tracing } from './events.ts';
export type { CacheOptions } from './data-keys/limits.ts';
export type { ClientOptions } from './client/client-options.ts';
export type { SignInOptions, TokenClaims } from './sign-in/options.ts';
export type { CallOptions } from './http/transport.ts';
export type { PagesOptions } from './http/listing.ts';
