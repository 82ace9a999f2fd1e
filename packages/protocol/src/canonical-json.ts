// The JSON that audit entries and proofs hash: a value has one text, whoever writes it.
import { InputError } from './errors.ts';

/**
 * Returns the canonical JSON of a value (RFC 8785), with names sorted by UTF-16 code units. Throws InputError for a
 * value that JSON cannot represent.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (typeof value === 'string' && value.isWellFormed()) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${Array.from(value, canonicalJson).join()}]`;
  if (typeof value === 'object') {
    const object = value as Readonly<Record<string, unknown>>;
    const names = Object.keys(object).sort();
    return `{${names.map((name) => `${canonicalJson(name)}:${canonicalJson(object[name])}`).join()}}`;
  }
  throw new InputError(
    'a JSON value must be a finite number, a well-formed string, a boolean, null, an array or an object',
  );
}
