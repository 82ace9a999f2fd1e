/** The environment of the process without the secrets of this program. */
export type ProviderEnvironment = Readonly<Record<string, string | undefined>>;

/** A service that keeps a key and encrypts the root key under it. Every function throws CannotStart. */
export interface KeyService {
  readonly title: string;
  /** Encrypts a root key. Returns the name of the service's key, and the ciphertext. */
  wrap(key: string, rootKey: Uint8Array, env: ProviderEnvironment): Promise<Wrapped>;
  /** Decrypts a root key. The caller checks its length, and wipes it. */
  unwrap(wrapped: Wrapped, env: ProviderEnvironment): Promise<Uint8Array>;
}

/** A root key that a key service encrypted. */
interface Wrapped {
  /** The name of the service's key. */
  readonly key: string;
  readonly ciphertext: string;
}

/** The longest time to wait for a program or a service, in milliseconds. */
export const providerDeadline = 10_000;
