// Statements that are put together from parts, by `query.ts` and `read.ts`. Parts of the driver are promises, of which one read
// would make 270: these are texts with their values.
import type { Pending, Sql } from './sql.ts';

type Value = string | number | null | Uint8Array | readonly (string | number)[];

/** A part of a statement: its text, cut where the values stand. */
class Part {
  readonly strings: readonly string[];
  readonly values: readonly Value[];

  constructor(strings: readonly string[], values: readonly Value[]) {
    this.strings = strings;
    this.values = values;
  }
}

export type { Part };

/** Makes a part of a text with values, and with other parts. */
export function part(texts: readonly string[], ...inserted: readonly (Value | Part)[]): Part {
  const strings: string[] = [];
  const values: Value[] = [];
  let text = texts[0] ?? '';
  for (let nth = 0; nth < inserted.length; nth++) {
    const one = inserted[nth] as Value | Part;
    const inner = one instanceof Part ? one : new Part(['', ''], [one]);
    strings.push(text + inner.strings[0], ...inner.strings.slice(1));
    values.push(...inner.values);
    text = `${strings.pop()}${texts[nth + 1]}`;
  }
  return new Part([...strings, text], values);
}

/** A text of ours, such as the name of a column. What others say must be a value. */
export const raw = (text: string): Part => new Part([text], []);

export const joined = (parts: readonly Part[], separator = ' '): Part =>
  part(['', ...parts.map((_, nth) => (nth === parts.length - 1 ? '' : separator))], ...parts);

/** The driver remembers statements by the list of their strings, for ever: equal ones must be the same list. */
const known = new Map<string, TemplateStringsArray>();

/** Makes a statement of the driver, which is sent when it is awaited. */
export function statement<Rows extends readonly object[]>(
  sql: Sql,
  { strings, values }: Part,
): Pending<Rows> {
  const text = strings.join('\0');
  const same = known.get(text) ?? Object.assign([...strings], { raw: strings });
  known.set(text, same);
  return sql(same, ...values);
}
