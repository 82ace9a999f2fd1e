import type { Engine } from '@eaas/protocol';
import type { ClientOptions, EnvelopeClient } from '@eaas/sdk';
import type { VectorFile } from '../vectors.ts';

export interface Settings {
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  readonly keyId: string;
  readonly otherKeyId: string;
  readonly intake: { readonly keyId: string; readonly publicKey: string };
  readonly vectors: {
    readonly messages: VectorFile<'envelope-v1'>;
    readonly streams: VectorFile<'envelope-v2'>;
    readonly intake: VectorFile<'intake'>;
    readonly locked: VectorFile<'local-lock'>;
  };
}

export interface Scene extends Settings {
  readonly engines: readonly Engine[];
  readonly connect: (options?: ClientOptions) => EnvelopeClient;
}

/** What each case does, by its name. */
export type Cases<S extends Scene = Scene> = Readonly<Record<string, (scene: S) => Promise<void>>>;

export interface CaseResult {
  readonly name: string;
  readonly error: string;
}

export async function runCases<S extends Scene>(cases: Cases<S>, scene: S): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  for (const [name, run] of Object.entries(cases)) {
    const result = await within(120_000, run(scene), 'The case').then(
      () => ({ error: '' }),
      (reason: unknown) => ({
        error: reason instanceof Error ? `${reason.message}\n${reason.stack}` : String(reason),
      }),
    );
    results.push({ name, ...result });
  }
  return results;
}

export async function within<T>(milliseconds: number, promise: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${milliseconds} ms`)), milliseconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
