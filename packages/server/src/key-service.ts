/** The environment variables of the process, without the variables that contain secrets of the server. */
export type ProviderEnvironment = Readonly<Record<string, string | undefined>>;

/** A key service, such as AWS KMS, which encrypts the root key. Every function of a key service throws CannotStart. */
export interface KeyService {
  readonly title: string;
  /** Encrypts a root key. Returns the ciphertext, and the name of the key that encrypted it. */
  wrap(key: string, rootKey: Uint8Array, env: ProviderEnvironment): Promise<Wrapped>;
  /** Decrypts a root key. The caller checks the length of the root key, and wipes the root key after use. */
  unwrap(wrapped: Wrapped, env: ProviderEnvironment): Promise<Uint8Array>;
}

/** A root key that a key service has encrypted, and the name of the key service's key. */
interface Wrapped {
  readonly key: string;
  readonly ciphertext: string;
}

/** The maximum time to wait for a root key program or a key service, in milliseconds. */
export const providerDeadline = 10_000;
