import { InputError } from '@eaas/protocol';

/**
 * Throws InputError for an invalid header. The error of `new Headers` is not shown, because this error might contain
 * the value of a secret header.
 */
export function httpHeaders(headers: HeadersInit | undefined): Headers {
  try {
    return new Headers(headers);
  } catch {
    throw new InputError('`headers` must be valid HTTP headers');
  }
}
