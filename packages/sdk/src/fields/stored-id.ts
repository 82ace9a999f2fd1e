// What a database makes of the id of a row, to which the ciphertexts of the row are bound.
import { parseUuid } from '@eaas/protocol/internal';

/** For adapters: whether two ids are the same, as a number and its text are. */
export const isSameId = (one: unknown, other: unknown): boolean => textOf(one) === textOf(other);

const textOf = (id: unknown): unknown => (typeof id === 'number' || typeof id === 'bigint' ? String(id) : id);

/** For adapters: what a database does to the text of an id. `folded` compares other texts as equal, `other` changes them. */
type IdForm = keyof typeof texts | { readonly padded: number };

const same = (id: string): string | undefined => id;
/** The text that the database returns, undefined if only the database knows it. */
const texts = {
  text: same,
  folded: same,
  other: (): undefined => undefined,
  trimmed: (id: string) => (id.endsWith(' ') ? undefined : id),
  integer: (id: string) => (/^\s*[+-]?\d+\s*$/.test(id) ? String(BigInt(id)) : undefined),
  date: (id: string) => (/^\d{4}-\d\d-\d\d$/.test(id) ? id : undefined),
  // PostgreSQL also accepts a UUID in upper case, in braces or without hyphens.
  uuid: (id: string) => {
    const digits = id.replaceAll(/[-{}]/g, '');
    return parseUuid(digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'));
  },
};

/**
 * For adapters: the id as the database returns it, to which ciphertexts are bound, or undefined if only the database knows it.
 * `isExact` says whether a comparison with it finds only rows that have this id.
 */
export function storedId(id: unknown, form: IdForm): { readonly id: unknown; readonly isExact: boolean } {
  if (typeof id !== 'string') return { id, isExact: id !== undefined };
  const isWhole = typeof form === 'object' || !['folded', 'trimmed', 'other'].includes(form);
  const stored = typeof form === 'object' ? padded(id, form.padded) : texts[form](id);
  // A UUID is the same id in every case.
  return { id: stored, isExact: stored !== undefined && (isWhole || parseUuid(stored) !== undefined) };
}

function padded(id: string, length: number): string {
  const trimmed = id.replace(/ +$/, '');
  return trimmed + ' '.repeat(Math.max(0, length - Array.from(trimmed).length));
}
