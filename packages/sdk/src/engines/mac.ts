// HMAC in a page or wherever Node does not choose. Only searches and halves need it, so the client does not load it.
import { loadNoble } from './noble-engines.ts';

/** Computes the HMAC-SHA-256 of a message. */
export type Mac = (message: Uint8Array<ArrayBuffer>) => Uint8Array | Promise<Uint8Array>;

export async function macUnder(key: Uint8Array<ArrayBuffer>): Promise<Mac> {
  const { subtle } = crypto;
  if (!subtle) return (await loadNoble()).hmacUnder(key);
  const imported = await subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return async (message) => new Uint8Array(await subtle.sign('HMAC', imported, message));
}
