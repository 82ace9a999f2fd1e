import type { RuntimeField } from './models.ts';

/**
 * Returns the value of an id column in the form in which the database returns it, such as a UUID in lower case.
 * Ciphertexts are bound to this form.
 */
export function storedForm(column: RuntimeField | undefined, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const { type, nativeType = '' } = column ?? {};
  if (type === 'BigInt') return /^\s*[+-]?\d+\s*$/.test(value) ? BigInt(value) : value;
  if (nativeType === 'Uuid') return uuidOf(value);
  const [isChar, length = '1'] = /^Char(?:\((\d+)\))?$/.exec(nativeType) ?? [];
  return isChar === undefined ? value : padded(value, Number(length));
}

/** PostgreSQL also accepts a UUID in upper case, in braces or without hyphens. */
function uuidOf(text: string): string {
  const digits = text.replaceAll(/[-{}]/g, '').toLowerCase();
  return digits.replace(/^([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/, '$1-$2-$3-$4-$5');
}

function padded(text: string, length: number): string {
  const trimmed = text.replace(/ +$/, '');
  return trimmed + ' '.repeat(Math.max(0, length - Array.from(trimmed).length));
}

/** True if the database ignores case: a comparison with the id `'A'` then also finds the id `'a'`. */
export function ignoresCase(column: RuntimeField | undefined): boolean {
  return column?.nativeType === 'Citext';
}
