import { env } from 'node:process';
import { InputError } from '@eaas/protocol';
import type { EaasClientOptions } from './client.ts';
import { requireKeyId } from './key-id.ts';

/**
 * Reads the settings from environment variables only if `baseUrl` is not passed, because the client must send
 * EAAS_API_KEY only to EAAS_BASE_URL.
 */
export function withEnvironment(options: EaasClientOptions): EaasClientOptions {
  if (options.baseUrl === undefined) {
    const { EAAS_BASE_URL: baseUrl, EAAS_API_KEY: apiKey, EAAS_KEY_ID: keyId } = env;
    if (options.keyId === undefined && keyId) requireKeyId(keyId, 'EAAS_KEY_ID');
    return {
      ...options,
      baseUrl,
      apiKey: options.apiKey ?? apiKey,
      keyId: options.keyId ?? (keyId || undefined),
    };
  }
  if (options.apiKey === undefined && env['EAAS_API_KEY']) {
    throw new InputError(
      'pass `apiKey` together with `baseUrl` (got no `apiKey`): the API key in EAAS_API_KEY is sent only to the URL in EAAS_BASE_URL',
    );
  }
  return options;
}
