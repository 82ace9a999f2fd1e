// Base64 with one spelling for each byte string: what does not encode back to the same text is refused.

/** The bytes. Throws on every spelling but the canonical one (RFC 4648, section 4, with padding). */
export function decodeBase64(text) {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw new Error('not canonical base64');
  return bytes;
}
