// What each column of a table holds, by form: the first step of `adopt`. It keeps no value.
import { InputError } from '@eaas/protocol';
import { headIn } from '../heads.ts';
import { pagesOf } from '../passes.ts';
import type { RowId, TableRow } from '../rows.ts';
import type { Store } from '../table.ts';
import type { OwnReader } from './own-reader.ts';
import { type Known, looksEncrypted, openedText, opens, type Recognise } from './recognise.ts';

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

/** One value that a person knows, as the proof of a format. */
export interface ExpectedValue {
  readonly id: string;
  readonly text: string;
}

export interface SurveyOptions {
  readonly recognise: Recognise;
  /** The function of the app that reads the old form, if it has passed one. */
  readonly own?: OwnReader | undefined;
  /** The value that proves that the iv of AES-CBC stands in front. */
  readonly expected?: ExpectedValue | undefined;
  /** Called after each row, with the number of rows so far. */
  readonly onRow: (count: number) => void;
}

export interface Survey {
  readonly columns: ReadonlyMap<string, ColumnSurvey>;
  /** By column: the format that opens all of its values, if their iv stands in front. Nothing proves that it does. */
  readonly unproven: ReadonlyMap<string, Known>;
}

/** Counts the forms in all columns of a table. */
export async function survey(
  store: Pick<Store, 'page' | 'rows' | 'fields'>,
  { recognise, own, expected, onRow }: SurveyOptions,
): Promise<Survey> {
  const { fields, page } = store;
  const sample = await sampleOf(store);
  const trustedByColumn = new Map<string, Trusted>();
  const unproven = new Map<string, Known>();
  for (const column of own ? [] : fields) {
    const texts = unknownTexts(sample, column, recognise);
    const trusted = trustedIn(texts, recognise);
    const ivFirst = trusted === undefined && texts.length > 0 ? recognise(texts, 'iv-first') : undefined;
    if (ivFirst && expected) await requireProof(store, column, ivFirst, texts, expected);
    if (ivFirst && !expected) unproven.set(column, ivFirst);
    trustedByColumn.set(column, ivFirst && expected ? ivFirst : trusted);
  }

  const columns = new Map(fields.map((column): [string, ColumnSurvey] => [column, new Map()]));
  let count = 0;
  for await (const rows of pagesOf((last) => page(last, rowsPerPage), undefined)) {
    for (const row of rows) {
      const opened = await own?.open(row);
      for (const [column, tallies] of columns) {
        const text = row.values[column];
        if (typeof text !== 'string') continue;
        const ownForm = own && opened && column in opened ? own.known : undefined;
        const form = ownForm ?? formOf(text, tallies, trustedByColumn.get(column), recognise);
        const tally = tallies.get(form) ?? { count: 0, ids: [] };
        tallies.set(form, tally);
        tally.count++;
        if (tally.ids.length < listed) tally.ids.push(row.id);
      }
      count++;
      onRow(count);
    }
  }
  return { columns, unproven };
}

/** The first rows with a value that Eaas has not encrypted. A run that was killed has converted the rows before. */
async function sampleOf({ fields, page }: Pick<Store, 'page' | 'fields'>): Promise<TableRow[]> {
  const sample: TableRow[] = [];
  for await (const rows of pagesOf((last) => page(last, rowsPerPage), undefined)) {
    sample.push(...rows.filter(({ values }) => fields.some((name) => headIn(values[name]) === 'plaintext')));
    if (sample.length >= rowsPerPage) break;
  }
  return sample;
}

/** The texts of a column that can be ciphertexts, and that no format with authentication opens. */
const unknownTexts = (sample: readonly TableRow[], column: string, recognise: Recognise): string[] =>
  sample
    .map(({ values }) => values[column])
    .filter((text) => typeof text === 'string')
    .filter((text) => headIn(text) === 'plaintext' && looksEncrypted(text) && !recognise([text], 'proven'));

/** A format without authentication that is believed, or why it is not. */
type Trusted = Known | string | undefined;

/** The format without authentication that opens all of these texts, if they are enough. */
function trustedIn(texts: readonly string[], recognise: Recognise): Trusted {
  const found = texts.length > 0 ? recognise(texts, 'open') : undefined;
  if (!found || texts.length >= sampled) return found;
  const all = `${found.variable} opens all ${texts.length} as ${found.result.name}`;
  return `unknown: ${all}, without authentication, so only ${sampled} values would prove it: pass \`--reader\``;
}

/** Throws unless the iv stands in front: one row opens as the value that a person knows, and not all rows have one iv. */
async function requireProof(
  store: Pick<Store, 'rows'>,
  column: string,
  { result: read, firstIv }: Known,
  texts: readonly string[],
  expected: ExpectedValue,
): Promise<void> {
  const [row] = await store.rows([expected.id]);
  const stored = row?.values[column];
  if (typeof stored !== 'string') {
    throw new InputError(
      `\`--expect ${expected.id}\` names no row with a value in ${column}: name another row`,
    );
  }
  if (headIn(stored) !== 'plaintext') {
    throw new InputError(
      `the value of row ${expected.id}, which \`--expect\` names, is encrypted by Eaas already: name a row that is not`,
    );
  }
  if (openedText(read, stored) !== expected.text) {
    throw new InputError(
      `row ${expected.id} does not open as the value on standard input. If that is its value, the iv does not stand in front: ` +
        'pass the function of your app with `--reader`',
    );
  }
  const ivs = new Set(texts.map((text) => Buffer.from(firstIv?.(text) ?? []).toString('hex')));
  if (ivs.size === 1 && texts.length > 1) {
    throw new InputError(
      `all ${texts.length} values of ${column} begin with the same 16 bytes, so these are no random iv: pass the function of ` +
        'your app with `--reader`',
    );
  }
}

function formOf(text: string, tallies: ColumnSurvey, trusted: Trusted, recognise: Recognise) {
  if (typeof headIn(text) === 'object') return unopened.new;
  for (const form of tallies.keys()) if (typeof form === 'object' && opens(form, text)) return form;
  const isSearched = (tallies.get(unopened.sealed)?.count ?? 0) < mostSealed;
  const found = isSearched ? recognise([text], 'proven') : undefined;
  if (found) return found;
  if (typeof trusted === 'object' && opens(trusted, text)) return trusted;
  if (!looksEncrypted(text)) return unopened.plain;
  return typeof trusted === 'string' ? trusted : unopened.sealed;
}
