// Fills in what the app did not pass from the variables EAAS_…, so that an API key goes only to the URL that belongs to it.
import { InputError } from '@eaas/protocol/internal';
import type { HalfOption } from '../half/options.ts';
import type { EaasClientOptions } from './client.ts';

// Not imported from `node:process`: that would open the standard streams, which takes some milliseconds.
const { env } = process;

/**
 * Reads absent settings from environment variables, but EAAS_API_KEY only if `baseUrl` is not passed either, because the
 * client must send EAAS_API_KEY only to EAAS_BASE_URL, and never with the tokens of a sign-in. A service in the process
 * has its own connection and key; EAAS_HALF counts for it too.
 */
export function withEnvironment(options: EaasClientOptions): EaasClientOptions {
  const withHalf = { ...options, ...halfInEnvironment(options) };
  if (options.service) return withHalf;
  const own = { ...withHalf, keyId: options.keyId ?? (inEnvironment(options, 'EAAS_KEY_ID') || undefined) };
  if (options.token) return { ...own, baseUrl: options.baseUrl ?? env['EAAS_BASE_URL'] };
  if (options.baseUrl === undefined) {
    const { EAAS_BASE_URL: baseUrl, EAAS_API_KEY: apiKey } = env;
    return { ...own, baseUrl, apiKey: options.apiKey ?? apiKey };
  }
  if (options.apiKey === undefined && env['EAAS_API_KEY']) {
    throw new InputError(
      'pass `apiKey` together with `baseUrl` (got no `apiKey`): the API key in EAAS_API_KEY is sent only to the URL in EAAS_BASE_URL',
    );
  }
  return own;
}

/** The halves of EAAS_HALF, and the id that the first must have. A variable that is set and empty would mean no half. */
function halfInEnvironment(options: EaasClientOptions): { half?: HalfOption; halfId?: string } {
  const halfId = inEnvironment(options, 'EAAS_HALF_ID');
  const text = options.half === undefined ? inEnvironment(options, 'EAAS_HALF') : undefined;
  if (text === '') throw new InputError('EAAS_HALF is set and empty: set it to what `eaas half new` printed');
  const half = text?.split(',').map((one) => (one.trim() === 'null' ? null : one.trim()));
  if (halfId && !half && options.half === undefined) {
    throw new InputError('EAAS_HALF_ID is set, and EAAS_HALF is not: set it to what `eaas half new` printed');
  }
  return { ...(half && { half }), ...(halfId && { halfId }) };
}

function inEnvironment({ baseUrl, half }: EaasClientOptions, name: string): string | undefined {
  try {
    return env[name];
  } catch (error) {
    // An app that passes its settings, also `half`, may run without the right to read variables, as in Deno.
    if (baseUrl === undefined) throw error;
    if (half === undefined && name !== 'EAAS_KEY_ID') {
      const remedy =
        'allow Deno `--allow-env=EAAS_HALF,EAAS_HALF_ID`, or pass `half`, which is null if there is none';
      throw new InputError(`${name} cannot be read: ${remedy}`);
    }
    return undefined;
  }
}
