import { env } from 'node:process';
import { InputError } from '@eaas/protocol';
import type { EaasClientOptions } from './client.ts';

/**
 * Adds no settings from the environment if `baseUrl` is passed, because the client must send EAAS_API_KEY only to
 * EAAS_BASE_URL.
 */
export function withEnvironment(options: EaasClientOptions): EaasClientOptions {
  if (options.baseUrl === undefined) {
    const { EAAS_BASE_URL: baseUrl, EAAS_API_KEY: apiKey, EAAS_KEY_ID: keyId } = env;
    return {
      ...options,
      baseUrl,
      apiKey: options.apiKey ?? apiKey,
      keyId: options.keyId ?? (keyId || undefined),
    };
  }
  if (options.apiKey === undefined && env['EAAS_API_KEY']) {
    throw new InputError(
      '`apiKey` must be passed if `baseUrl` is passed (got no `apiKey`): the client sends EAAS_API_KEY only to EAAS_BASE_URL',
    );
  }
  return options;
}
