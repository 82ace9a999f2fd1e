import type { ProviderEnvironment } from '@eaas/server/internal';

export interface KeyService {
  readonly title: string;
  wrap(key: string, rootKey: Uint8Array, env: ProviderEnvironment): Promise<Wrapped>;
  /** The caller must wipe the root key after use. */
  unwrap(wrapped: Wrapped, env: ProviderEnvironment): Promise<Uint8Array>;
}

interface Wrapped {
  readonly key: string;
  readonly ciphertext: string;
}

export const providerDeadline = 10_000;
