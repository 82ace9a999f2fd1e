import type { Engine } from '@eaas/protocol';
import type { EnvelopeClient, EnvelopeClientOptions, TransportOptions } from '@eaas/sdk';
import type { VectorFile } from '../vectors/vectors.ts';

/** What a run is told. */
export interface Settings {
  /** Where the service is, or the proxy before it. */
  readonly baseUrl: string;
  /** Never told to a page. */
  readonly apiKey?: string | undefined;
  readonly keyId: string;
  readonly otherKeyId: string;
  /** A value that was encrypted before its key was rotated. */
  readonly old: { readonly keyId: string; readonly ciphertext: string; readonly text: string };
  readonly vectors: {
    readonly messages: VectorFile<'envelope-v1'>;
    readonly streams: VectorFile<'envelope-v2'>;
  };
}

export type ConnectOptions = EnvelopeClientOptions & Omit<TransportOptions, 'baseUrl'>;

/** What a case acts on. */
export interface Scene extends Settings {
  readonly engines: readonly Engine[];
  /** A client of its own, as one is made in this runtime. */
  readonly connect: (options?: ConnectOptions) => EnvelopeClient;
}

/** A promise that is kept in every runtime. */
export interface Case<S extends Scene = Scene> {
  readonly name: string;
  readonly run: (scene: S) => Promise<void>;
}

export interface CaseResult {
  readonly name: string;
  readonly ok: boolean;
  readonly milliseconds: number;
  readonly error?: string;
}

const patience = 20_000;

/** Runs one case after another. */
export async function runCases<S extends Scene>(cases: readonly Case<S>[], scene: S): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  for (const { name, run } of cases) {
    const start = Date.now();
    const error = await failureOf(run(scene));
    const milliseconds = Date.now() - start;
    results.push({ name, milliseconds, ok: error === undefined, ...(error !== undefined && { error }) });
  }
  return results;
}

async function failureOf(running: Promise<void>): Promise<string | undefined> {
  let timer: unknown;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it did not end')), patience);
  });
  try {
    await Promise.race([running, late]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? `${error.message}\n${error.stack}` : String(error);
  } finally {
    clearTimeout(timer as number);
  }
}
