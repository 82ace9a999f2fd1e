import { InputError } from '@eaas/protocol';
import {
  type ApiKeyCalls,
  apiKeyCalls,
  type KeyCalls,
  keyCalls,
  type ServerModeCalls,
  serverModeCalls,
} from './administration.ts';
import { EnvelopeClient } from './envelope-client.ts';
import { EaasError } from './errors.ts';
import { createEmit } from './events.ts';
import type { EnvelopeClientOptions } from './options.ts';
import { type CallOptions, createTransport, type TransportOptions } from './transport.ts';

export interface EaasClientOptions extends EnvelopeClientOptions, TransportOptions {
  /** An API key, or what answers one: asked before every call. */
  readonly apiKey: string | (() => string | Promise<string>);
}

/** The whole service, for a program that may hold an API key. In a browser it is `@eaas/sdk/browser` that may not. */
export class EaasClient extends EnvelopeClient {
  /** Creates, rotates and retires keys. */
  readonly keys: KeyCalls;
  /** Creates, changes and revokes API keys. */
  readonly apiKeys: ApiKeyCalls;
  /** Has the service encrypt and decrypt: it sees the plaintext. For tenants that are not envelope-only. */
  readonly serverMode: ServerModeCalls;

  constructor(options: EaasClientOptions) {
    const { apiKey } = options;
    const emit = createEmit(options);
    super(
      createTransport(options, () => authorization(apiKey), emit),
      options,
      emit,
    );
    this.keys = keyCalls(this.call);
    this.apiKeys = apiKeyCalls(this.call);
    this.serverMode = serverModeCalls(this.call);
  }
}

async function authorization(apiKey: EaasClientOptions['apiKey']): Promise<Record<string, string>> {
  let token: unknown = apiKey;
  try {
    if (typeof apiKey === 'function') token = await apiKey();
  } catch {
    throw new EaasError('unauthorized', 'the function that answers the API key failed');
  }
  if (typeof token !== 'string' || token === '')
    throw new InputError('`apiKey` is a token, or a function that answers one');
  return { authorization: `Bearer ${token}` };
}
