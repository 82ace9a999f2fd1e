// Writes what a complete run of `npm run prove` tried and found. Git ignores the report: whoever runs it has their own.
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { mutations } from './mutations.ts';
import { checksOf, markdownTable, type Outcome, summaryOf, tableOf } from './report.ts';

const folder = new URL('results/', import.meta.url);

function seenToFail(): string {
  const rows = mutations.flatMap(({ name, fails }) =>
    Object.entries(fails).flatMap(([trial, invariants]) =>
      invariants.map((invariant) => [invariant, `\`${name}\``, `\`${trial}\``]),
    ),
  );
  const heads = ['check', 'mutation', 'trial that noticed the mutation'];
  return markdownTable(heads, rows);
}

/** Returns the path of the report. */
export async function writeReport(outcomes: readonly Outcome[]): Promise<string> {
  const day = new Date().toISOString().slice(0, 10);
  const machine = `${cpus().length} cores, Node ${process.versions.node}`;
  const text = [
    '# Proof by faults and hostile input',
    '',
    summaryOf(outcomes, { day, machine }),
    '',
    tableOf(outcomes),
    '',
    '## What each trial checks',
    '',
    checksOf(outcomes),
    '',
    '## Seen to fail',
    '',
    'A mutation is a deliberate mistake in the source code, in the manual or in a trial, which shows that a check can',
    'fail. `npm run prove -- mutations` makes all mutations, one at a time, in a copy of the repository.',
    '',
    seenToFail(),
    '',
  ].join('\n');
  await mkdir(folder, { recursive: true });
  const report = fileURLToPath(new URL('report.md', folder));
  await writeFile(report, text);
  return report;
}
