// Base64 with one spelling for each byte string. Text that does not encode back to the same text is refused.

/** Returns the bytes. Throws for any spelling except the canonical one (RFC 4648, section 4, with padding). */
export function decodeBase64(text) {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw new Error('not canonical base64');
  return bytes;
}
