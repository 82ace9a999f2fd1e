import { InputError } from '@eaas/protocol';
import type { Input, Output } from '@eaas/protocol/wire';
import {
  type ApiKeyCalls,
  apiKeyCalls,
  type KeyCalls,
  keyCalls,
  type ServerModeCalls,
  serverModeCalls,
} from './administration.ts';
import type { AuditReport } from './audit/check.ts';
import { type AuditMethods, auditOf } from './audit/methods.ts';
import type { MonitorOptions } from './audit/monitor.ts';
import { baseUrlOf } from './base-url.ts';
import type { FormOf, Rewrapped } from './call-options.ts';
import type { Ciphertext } from './ciphertext.ts';
import type { UnwrapOptions } from './data-key-calls.ts';
import { EnvelopeClient } from './envelope-client.ts';
import { EaasError, type Settled } from './errors.ts';
import { createEmit } from './events.ts';
import type { EnvelopeClientOptions } from './options.ts';
import { createRewrapAll, type RewrapAll } from './rewrap.ts';
import { type CallOptions, createTransport, patienceOf, type TransportOptions } from './transport.ts';

/** Where the service is, who asks, and how data keys are kept. */
export interface EaasClientOptions extends EnvelopeClientOptions, TransportOptions {
  /** An API key, or what answers one: asked before every call. */
  readonly apiKey: string | (() => string | Promise<string>);
}

/** `client.audit`. */
export interface AuditLog extends AuditMethods {
  /**
   * Recomputes the log's public hash chain here, round after round, against checkpoints that the app keeps: so that the
   * service need not be trusted.
   */
  monitor(options: MonitorOptions): AsyncGenerator<AuditReport, void, undefined>;
}

/** The whole service, for a program that may hold an API key. In a browser it is `@eaas/sdk/browser` that may not. */
export class EaasClient extends EnvelopeClient {
  /** Creates, rotates and retires keys. */
  readonly keys: KeyCalls;
  /** Creates, changes and revokes API keys. */
  readonly apiKeys: ApiKeyCalls;
  /** Lists the audit log, and checks it. */
  readonly audit: AuditLog;
  /** Has the service encrypt and decrypt: it sees the plaintext. For tenants that are not envelope-only. */
  readonly serverMode: ServerModeCalls;
  readonly #rewrapAll: RewrapAll;

  constructor(options: EaasClientOptions) {
    const { apiKey } = options;
    const baseUrl = baseUrlOf(options.baseUrl);
    const emit = createEmit(options);
    super(
      createTransport({ ...options, baseUrl }, () => authorization(apiKey), emit),
      options,
      emit,
    );
    this.#rewrapAll = createRewrapAll(this.call, patienceOf(options));
    this.keys = keyCalls(this.call);
    this.apiKeys = apiKeyCalls(this.call);
    this.serverMode = serverModeCalls(this.call);
    const audit = auditOf(this.call);
    this.audit = {
      ...audit,
      async *monitor(monitoring) {
        // When it is asked for: no app should download it to encrypt a field.
        const { monitorAudit } = await import('./audit/monitor.ts');
        yield* monitorAudit({ audit }, monitoring);
      },
    };
  }

  /** Has the data key of a ciphertext wrapped under the newest version of its key; the body stays as it is. */
  async rewrap<C extends Ciphertext>(ciphertext: C, options?: UnwrapOptions): Promise<Rewrapped<FormOf<C>>> {
    const [result] = await this.rewrapMany([ciphertext], options);
    if (result?.ok) return result.value;
    throw result?.error;
  }

  /** Rewraps many, asking once for each data key: each result stands where its ciphertext stood, and fails alone. */
  rewrapMany<C extends Ciphertext>(
    ciphertexts: readonly C[],
    options?: UnwrapOptions,
  ): Promise<Settled<Rewrapped<FormOf<C>>>[]> {
    return this.#rewrapAll(ciphertexts, options);
  }

  /** What was counted in a month (`2026-11`), the current one where absent. */
  async usage(input: Input<'GET /v1/usage'> = {}, options?: CallOptions): Promise<Output<'GET /v1/usage'>> {
    return this.call('GET /v1/usage', input, options);
  }
}

async function authorization(apiKey: EaasClientOptions['apiKey']): Promise<Record<string, string>> {
  let token: unknown = apiKey;
  try {
    if (typeof apiKey === 'function') token = await apiKey();
  } catch {
    throw new EaasError('unauthorized', 'the function that answers the API key failed');
  }
  // A file's line end may stand behind it. What cannot be sent, the platform would show in its error.
  const [, sent] = /^([!-~]+)\s*$/.exec(String(token)) ?? [];
  if (typeof token !== 'string' || !sent) {
    throw new InputError(
      '`apiKey` is the token of an API key, as it was shown once, or a function that answers it',
    );
  }
  return { authorization: `Bearer ${sent}` };
}
