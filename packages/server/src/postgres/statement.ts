// Statements that are put together from parts, by `query.ts` and `read.ts`. Parts of the driver are promises, of which one read
// would make 270: these are texts with their values.
import type { Pending, Sql } from './sql.ts';

type Value = string | number | null | Uint8Array | readonly (string | number)[];

/** Stands in a text for a value. No text of ours has it, and no text of PostgreSQL can. */
const mark = '\0';

/** A part of a statement. */
class Part {
  readonly text: string;
  readonly values: readonly Value[];

  constructor(text: string, values: readonly Value[] = []) {
    this.text = text;
    this.values = values;
  }
}

export type { Part };

/** Makes a part of a text with values, and with other parts. */
export function part(texts: readonly string[], ...inserted: readonly (Value | Part)[]): Part {
  let [text = ''] = texts;
  const values: Value[] = [];
  for (const [nth, one] of inserted.entries()) {
    const isPart = one instanceof Part;
    text += `${isPart ? one.text : mark}${texts[nth + 1] ?? ''}`;
    if (isPart) values.push(...one.values);
    else values.push(one);
  }
  return new Part(text, values);
}

/** A text of ours, such as the name of a column. What others say must be a value. */
export const raw = (text: string): Part => new Part(text);

export function joined(parts: readonly Part[], separator = ' '): Part {
  const values: Value[] = [];
  for (const one of parts) values.push(...one.values);
  return new Part(parts.map(({ text }) => text).join(separator), values);
}

/** The driver remembers statements by the list of their strings, for ever: equal ones must be the same list. */
const known = new Map<string, TemplateStringsArray>();

/** Makes a statement of the driver, which is sent when it is awaited. */
export function statement<Rows extends readonly object[]>(sql: Sql, { text, values }: Part): Pending<Rows> {
  const strings = known.get(text) ?? Object.assign(text.split(mark), { raw: [text] });
  known.set(text, strings);
  return sql(strings, ...values);
}
