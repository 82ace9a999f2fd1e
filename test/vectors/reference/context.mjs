import { pae, utf8 } from './bytes.mjs';

const maxEncodedContext = 4096;
const maxContextName = 128;

export function encodeContext(context) {
  if (context === null) return pae();
  requirePlainObject(context);
  const entries = Object.entries(context).map(([name, value]) => [nameBytes(name), valueBytes(value)]);
  entries.sort(([a], [b]) => Buffer.compare(a, b));
  const encoded = pae(...entries.flat());
  if (encoded.length > maxEncodedContext) throw new Error(`a context of ${encoded.length} encoded bytes`);
  return encoded;
}

function requirePlainObject(context) {
  if (typeof context !== 'object' || Array.isArray(context)) throw new Error('a context is an object');
}

function nameBytes(name) {
  if (name === '__proto__') throw new Error('the name __proto__');
  const bytes = utf8(withoutControls(name));
  if (bytes.length < 1 || bytes.length > maxContextName) throw new Error(`a name of ${bytes.length} bytes`);
  return bytes;
}

function valueBytes(value) {
  if (typeof value !== 'string') throw new Error('a value that is not a string');
  return utf8(withoutControls(value));
}

function withoutControls(text) {
  if (/\p{Cc}/u.test(text)) throw new Error('a control character');
  return text;
}
