import { InputError } from './errors.ts';

/**
 * RFC 8785 canonical JSON: names in the order of their UTF-16 code units, numbers and strings as ECMAScript
 * spells them. Throws InputError for what JSON cannot say.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (typeof value === 'string' && value.isWellFormed()) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${Array.from(value, canonicalJson).join()}]`;
  if (typeof value === 'object') {
    // Joined as text: an object built anew would put integer-like names first and lose `__proto__`.
    const members = Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => `${canonicalJson(name)}:${canonicalJson(member)}`);
    return `{${members.join()}}`;
  }
  throw new InputError('only finite numbers, well-formed text, booleans, null, arrays and objects are JSON');
}
