// Which implementations a client uses, in a page or wherever Node does not choose: WebCrypto, or noble without it.
import type { Engine, SyncEngine } from '@eaas/protocol';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';
import { allNoble, loadNoble } from './noble-engines.ts';

export { allNoble, loadNoble };

/** The AES-GCM engine for each kind of call. All engines produce the same bytes. */
export interface Engines {
  /** The engine that `encrypt` and `decrypt` use. */
  readonly values: Engine;
  /**
   * The engine that `encryptSync` and `decryptSync` use. If this engine is undefined, `prime` loads the JavaScript
   * library noble for these calls.
   */
  readonly sync: SyncEngine | undefined;
  /** The engine that streams use. */
  readonly streams: Engine;
}

const webCrypto: Engines = { values: webCryptoEngine, sync: undefined, streams: webCryptoEngine };

/**
 * Returns WebCrypto engines if the platform has WebCrypto, because scripts cannot read the keys that WebCrypto holds.
 * Otherwise, returns engines that use the JavaScript library noble.
 */
export const platformEngines = (): Engines => (crypto.subtle ? webCrypto : allNoble);

export async function hkdf(dek: Uint8Array, info: Uint8Array): Promise<Uint8Array> {
  const { subtle } = crypto;
  if (!subtle) return (await loadNoble()).hkdf(dek, info);
  const key = await subtle.importKey('raw', dek as BufferSource, 'HKDF', false, ['deriveBits']);
  const params = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info: info as BufferSource };
  return new Uint8Array(await subtle.deriveBits(params, key, 512));
}
