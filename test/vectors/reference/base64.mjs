// Canonical base64. Text is refused if encoding the decoded bytes does not return the same text.

/** Returns the bytes. Throws for any spelling except the canonical one (RFC 4648, section 4, with padding). */
export function decodeBase64(text) {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw new Error('not canonical base64');
  return bytes;
}
