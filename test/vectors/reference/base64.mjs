// Reads canonical base64. Text is refused if the encoding of its decoded bytes is another text.

/** Decodes canonical base64 (RFC 4648, section 4, with padding). Throws for any other text. */
export function decodeBase64(text) {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw new Error('not canonical base64');
  return bytes;
}
