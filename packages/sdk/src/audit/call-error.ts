import { LoadError } from '@eaas/protocol/internal';
import { ClientError, ServiceError } from '../errors.ts';

/** Returns whether an error comes from a call to the service, and not from a function of the app such as `onEntry`. */
export const isCallError = (error: unknown): error is ServiceError | ClientError | LoadError =>
  [ServiceError, ClientError, LoadError].some((type) => error instanceof type);
