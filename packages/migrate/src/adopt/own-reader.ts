// The reader after `--reader`: a function of the app itself, for a format that no other reader knows, such as one with its iv in
// another column.
import { FormatError, fromUtf8, InputError } from '@eaas/protocol';
import { isBytes } from '@eaas/protocol/internal';
import { loadModule } from '../connect.ts';
import { described } from '../formats/reader.ts';
import { headIn } from '../heads.ts';
import type { TableRow } from '../rows.ts';

export type OwnReader = Awaited<ReturnType<typeof ownReader>>;

/** What the function made of a text of a row. No stored text is an object. */
type Opened = { readonly text: string };

/** Loads a module whose default export is a function. Throws InputError for any other. */
export async function ownReader(path: string) {
  const { default: found } = await loadModule(path, '`--reader`');
  // The default of a module that was compiled to CommonJS is an object that has its default.
  const read = found?.default ?? found;
  if (typeof read !== 'function') {
    throw new InputError(`the default export of ${path} must be (stored, row) => text, or null`);
  }
  const textOf = async (stored: string | null | undefined, { others }: TableRow): Promise<unknown> => {
    const value: unknown = await read(stored, others);
    return isBytes(value) ? fromUtf8(value) : value === stored ? null : value;
  };
  const result = described("the app's own format", true, (stored) => {
    if (typeof stored === 'object') return (stored as Opened).text;
    throw new FormatError('the function of the app returned no text');
  });
  return {
    path: /^[./]/.test(path) ? path : `./${path}`,
    /** Reads what `open` returned. */
    known: { result, code: 'read', variable: path },
    /** Returns what the function made of the texts of a row, by the names of their fields. */
    open: async (row: TableRow) => {
      const opened: Record<string, Opened> = {};
      for (const [name, stored] of Object.entries(row.values)) {
        if (headIn(stored) !== 'plaintext') continue;
        // In many apps, an error says that a value is none of theirs. Its message might quote the value.
        const text = await textOf(stored, row).catch(() => null);
        if (typeof text === 'string') opened[name] = { text };
      }
      return opened;
    },
  };
}
