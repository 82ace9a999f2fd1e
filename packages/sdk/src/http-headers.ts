import { InputError } from '@eaas/protocol';

/** Throws InputError for an invalid header, because the platform's own error might show a secret header. */
export function httpHeaders(headers: HeadersInit | undefined): Headers {
  try {
    return new Headers(headers);
  } catch {
    throw new InputError('`headers` must be valid HTTP headers');
  }
}
