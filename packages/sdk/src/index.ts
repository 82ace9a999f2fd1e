export { DecryptionError, FormatError, InputError } from '@eaas/protocol';
export {
  type Bundle,
  type DecryptOptions,
  EaasClient,
  type EaasClientOptions,
  type EncryptOptions,
} from './client.ts';
export { EaasError, type EaasErrorCode } from './errors.ts';
