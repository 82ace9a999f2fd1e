import { InputError } from '@eaas/protocol/internal-core';
import type { EaasClientOptions } from './client.ts';

// Not imported from `node:process`: that would open the standard streams, which takes some milliseconds.
const { env } = process;

/**
 * Reads absent settings from environment variables, but EAAS_API_KEY only if `baseUrl` is not passed either, because the
 * client must send EAAS_API_KEY only to EAAS_BASE_URL, and never with the tokens of a sign-in.
 */
export function withEnvironment(options: EaasClientOptions): EaasClientOptions {
  const keyId = options.keyId ?? keyIdInEnvironment(options);
  if (options.token) return { ...options, baseUrl: options.baseUrl ?? env['EAAS_BASE_URL'], keyId };
  if (options.baseUrl === undefined) {
    const { EAAS_BASE_URL: baseUrl, EAAS_API_KEY: apiKey } = env;
    return { ...options, baseUrl, apiKey: options.apiKey ?? apiKey, keyId };
  }
  if (options.apiKey === undefined && env['EAAS_API_KEY']) {
    throw new InputError(
      'pass `apiKey` together with `baseUrl` (got no `apiKey`): the API key in EAAS_API_KEY is sent only to the URL in EAAS_BASE_URL',
    );
  }
  return { ...options, keyId };
}

function keyIdInEnvironment({ baseUrl }: EaasClientOptions): string | undefined {
  const read = (): string | undefined => env['EAAS_KEY_ID'];
  return (baseUrl === undefined ? read() : ifAllowed(read)) || undefined;
}

/** An app that passes its settings may run without the right to read variables, as in Deno. */
function ifAllowed<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
