// The rows that `open` reads, a page at a time: of a table, those that a file names, or those on standard input. They have the id by
// the name of its column, and the rest by the names of the definition.
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { InputError } from '@eaas/protocol';
import { attempt, inLine } from '@eaas/protocol/internal';
import { pagesOf } from '../passes.ts';
import type { Row, TableRow } from '../rows.ts';
import type { Target } from '../source.ts';
import { openTable } from '../table.ts';

const pageSize = 1_000;

/** Reads all rows, or those whose ids a file names. Says of which ids there is no row. */
export async function* storedRows(target: Target, fail: (message: string) => void, idFile?: string) {
  const { page, rows } = await openTable(target, 'open');
  const flat = (row: TableRow) => ({ ...row.others, ...row.person, ...row.values, [target.id]: row.id });
  if (idFile === undefined) {
    for await (const found of pagesOf((last) => page(last, pageSize), undefined)) yield found.map(flat);
  } else {
    for await (const ids of pagesIn((await open(idFile)).readLines())) {
      const left = new Set(ids);
      // The database casts a text to an id, and so may find a row with another.
      yield (await rows(ids)).filter(({ id }) => left.delete(String(id))).map(flat);
      for (const id of left) fail(`no row of ${target.name} has the id ${inLine(id)}`);
    }
  }
}

/** Reads rows from lines of JSON. Throws InputError for one without one of these names. */
export async function* givenRows(names: readonly string[], input: NodeJS.ReadableStream) {
  let line = 0;
  for await (const lines of pagesIn(createInterface({ input }))) {
    yield lines.map((text): Row => {
      line++;
      const row = Object(attempt((): unknown => JSON.parse(text)));
      const lacking = names.find((each) => !Object.hasOwn(row, each));
      if (lacking !== undefined) {
        throw new InputError(`row ${line} on standard input must be a JSON object with \`${lacking}\``);
      }
      return row;
    });
  }
}

/** Lines in pages, without those that are empty. */
async function* pagesIn(lines: AsyncIterable<string>) {
  const page: string[] = [];
  for await (const line of lines) if (line !== '' && page.push(line) === pageSize) yield page.splice(0);
  yield page;
}
