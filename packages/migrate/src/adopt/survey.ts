// What each column of a table holds, by form: the first step of `adopt`. It keeps no value.
import { headIn } from '../heads.ts';
import { pagesOf } from '../passes.ts';
import type { RowId, TableRow } from '../rows.ts';
import type { Store } from '../table.ts';
import type { OwnReader } from './own-reader.ts';
import { type Known, looksEncrypted, opens, type Recognise } from './recognise.ts';

/** What no old key opens. */
export const unopened = {
  new: 'encrypted by Eaas',
  plain: 'no known format: plaintext?',
  sealed: 'unknown: no old key opens it, and it can be a ciphertext',
} as const;

/** A number of values, and the ids of the first rows that have them. */
interface Tally {
  count: number;
  readonly ids: RowId[];
}

/** The values of a column that are not NULL, by form. A text says why a form is unknown. */
export type ColumnSurvey = Map<Known | string, Tally>;

const listed = 5;
const rowsPerPage = 1_000;
/** So many values in a column that look encrypted, and open under no key, end the slow search for further formats in it. */
const mostSealed = 1_000;
/** So many values must all open under a key before a format without authentication is believed. */
const sampled = 32;

export async function survey(store: Pick<Store, 'page' | 'fields'>, recognise: Recognise, own?: OwnReader) {
  const { fields, page } = store;
  const sample: TableRow[] = [];
  // A run that was killed has converted the rows before.
  for await (const rows of pagesOf((last) => page(last, rowsPerPage), undefined)) {
    sample.push(...rows.filter(({ values }) => fields.some((name) => headIn(values[name]) === 'plaintext')));
    if (sample.length >= rowsPerPage) break;
  }
  const trusted = new Map(fields.map((column) => [column, trustedIn(sample, column, recognise)]));
  const surveys = new Map(fields.map((column): [string, ColumnSurvey] => [column, new Map()]));
  for await (const rows of pagesOf((last) => page(last, rowsPerPage), undefined)) {
    for (const row of rows) {
      const opened = await own?.open(row);
      for (const [column, tallies] of surveys) {
        const text = row.values[column];
        if (typeof text !== 'string') continue;
        const known = own && opened && column in opened ? own.known : undefined;
        const form = known ?? formOf(text, tallies, trusted.get(column), recognise);
        const tally = tallies.get(form) ?? { count: 0, ids: [] };
        tallies.set(form, tally);
        tally.count++;
        if (tally.ids.length < listed) tally.ids.push(row.id);
      }
    }
  }
  return surveys;
}

/** A format without authentication that is believed, or why it is not. */
type Trusted = Known | string | undefined;

/** The format without authentication that opens all values of a sample that nothing else opens, if they are enough. */
function trustedIn(sample: readonly TableRow[], column: string, recognise: Recognise): Trusted {
  const texts = sample.map(({ values }) => values[column]).filter((text) => typeof text === 'string');
  const unknown = texts.filter(
    (text) => headIn(text) === 'plaintext' && looksEncrypted(text) && !recognise([text], false),
  );
  const found = unknown.length > 0 ? recognise(unknown, true) : undefined;
  if (!found || unknown.length >= sampled) return found;
  const all = `${found.variable} opens all ${unknown.length} as ${found.result.name}`;
  return `unknown: ${all}, without authentication, so only ${sampled} values would prove it: pass \`--reader\``;
}

function formOf(text: string, tallies: ColumnSurvey, trusted: Trusted, recognise: Recognise) {
  if (typeof headIn(text) === 'object') return unopened.new;
  for (const form of tallies.keys()) if (typeof form === 'object' && opens(form, text)) return form;
  const isSearched = (tallies.get(unopened.sealed)?.count ?? 0) < mostSealed;
  const found = isSearched ? recognise([text], false) : undefined;
  if (found) return found;
  if (typeof trusted === 'object' && opens(trusted, text)) return trusted;
  if (!looksEncrypted(text)) return unopened.plain;
  return typeof trusted === 'string' ? trusted : unopened.sealed;
}
