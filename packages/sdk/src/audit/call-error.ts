import { LoadError } from '@eaas/protocol/internal';
import { ClientError, ServiceError } from '../errors.ts';

/** Whether a call got no usable response. */
export const isCallError = (error: unknown): error is ServiceError | ClientError | LoadError =>
  [ServiceError, ClientError, LoadError].some((type) => error instanceof type);
