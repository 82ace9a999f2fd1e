/** HKDF-SHA-256 of WebCrypto, without a salt. */
export async function webHkdf(dek: Uint8Array, info: Uint8Array): Promise<Uint8Array> {
  const { subtle } = crypto;
  const key = await subtle.importKey('raw', dek as BufferSource, 'HKDF', false, ['deriveBits']);
  const params = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info: info as BufferSource };
  return new Uint8Array(await subtle.deriveBits(params, key, 512));
}
