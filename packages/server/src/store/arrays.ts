// This file replaces the array functions of postgres.js, which query the array types on each new connection. Errors of
// this query cannot be caught.

/** A parsed PostgreSQL array. A tampered row can contain nested arrays. */
export type Parsed = (string | null | Parsed)[];

const token = /[{}]|"([^"\\]*(?:\\.[^"\\]*)*)"|[^,{}]+/gs;

export function parseArray(text: string): Parsed {
  const root: Parsed = [];
  const open: Parsed[] = [root];
  // If the lower bound of an array is not 1, its text begins with the bounds, as in [0:1]={a,b}. The parser skips the
  // bounds.
  for (const [word, quoted] of text.slice(text.indexOf('{')).matchAll(token)) {
    const list = open.at(-1) ?? root;
    if (word === '{') {
      const inner: Parsed = [];
      list.push(inner);
      open.push(inner);
    } else if (word === '}') open.pop();
    else if (quoted !== undefined) list.push(quoted.replaceAll(/\\(.)/gs, '$1'));
    else list.push(word === 'NULL' ? null : word);
  }
  const [first] = root;
  return Array.isArray(first) ? first : root;
}

export function formatArray(values: readonly (string | number | null)[]): string {
  return `{${values.map(formatValue).join(',')}}`;
}

function formatValue(value: string | number | null): string {
  return value === null ? 'NULL' : `"${String(value).replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
