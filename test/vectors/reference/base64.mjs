export function decodeBase64(text) {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw new Error('not canonical base64');
  return bytes;
}
