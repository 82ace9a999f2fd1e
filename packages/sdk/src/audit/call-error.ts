import { LoadError } from '@eaas/protocol/internal';
import { ClientError, ServiceError } from '../errors.ts';

/** Returns whether an error comes from a call of the client, and not from a function that the app passed. */
export const isCallError = (error: unknown): error is ServiceError | ClientError | LoadError =>
  [ServiceError, ClientError, LoadError].some((type) => error instanceof type);
