// Writes measured tables into pages, between the markers that name them.
import { type Report, resultsOf } from './results.ts';

/** The table of all results, for the page with the benchmarks. */
export const resultsTable = (reports: readonly Report[]): ReadonlyMap<string, readonly string[]> =>
  new Map([['results', resultsOf(reports)]]);

const begin = (name: string): string => `<!-- table: ${name} -->`;
const end = '<!-- /table -->';

export function withTables(page: string, tables: ReadonlyMap<string, readonly string[]>): string {
  return Array.from(tables).reduce((text, [name, lines]) => {
    const [before = '', rest, ...others] = text.split(`${begin(name)}\n`);
    const after = rest?.slice(rest.indexOf(end));
    if (after === undefined || others.length > 0) {
      throw new Error(`the page must contain the marker ${begin(name)} exactly once`);
    }
    return `${before}${begin(name)}\n\n${lines.join('\n')}\n\n${after}`;
  }, page);
}
