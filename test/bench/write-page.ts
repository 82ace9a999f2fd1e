import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { resultsTable, withTables } from './page-tables.ts';
import { readReports, type Report } from './results.ts';

const page = fileURLToPath(new URL('../../docs/benchmarks.md', import.meta.url));
const kept = fileURLToPath(new URL('../../docs/benchmarks.json', import.meta.url));

/** In the order of `names`, without those that are none of them. */
export async function writePage(names: readonly string[]): Promise<void> {
  const before = JSON.parse(await readFile(kept, 'utf8')) as readonly Report[];
  const fresh = readReports();
  const all = new Map([...before, ...fresh].map((report) => [report.name, report]));
  const reports = names.flatMap((name) => all.get(name) ?? []);
  await writeFile(kept, JSON.stringify(reports, undefined, 2));
  await writeFile(page, withTables(await readFile(page, 'utf8'), resultsTable(reports)));
  await promisify(execFile)('npx', ['oxfmt', page, kept]);
}
