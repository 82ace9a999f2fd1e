import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { mutations } from './mutations.ts';
import { checksOf, markdownTable, type Outcome, summaryOf, tableOf } from './report.ts';

const page = new URL('../../docs/proof.md', import.meta.url);
const manual = new URL('../../packages/server/README.md', import.meta.url);
const quote = /(<!-- proof -->\n\n)[^<]*(\n\n<!-- \/proof -->)/;

function seenToFail(): string {
  const rows = mutations.flatMap(({ name, fails }) =>
    Object.entries(fails).flatMap(([trial, invariants]) =>
      invariants.map((invariant) => [invariant, `\`${name}\``, `\`${trial}\``]),
    ),
  );
  const heads = ['check', 'mutation', 'trial that noticed the mutation'];
  return markdownTable(heads, rows);
}

export async function writeProof(outcomes: readonly Outcome[]): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  const machine = `${cpus().length} cores, Node ${process.versions.node}`;
  const summary = summaryOf(outcomes, { day, machine });
  const text = [
    '# Proof by faults and hostile input',
    '',
    'This page says how the trials of `npm run prove` attacked the server, how often, and what was lost.',
    '`npm run prove -- --write` writes this page.',
    '',
    summary,
    '',
    tableOf(outcomes),
    '',
    '## What each trial checks',
    '',
    checksOf(outcomes),
    '',
    '## Seen to fail',
    '',
    'A mutation is a deliberate mistake in the source code, in the manual or in a trial. A mutation shows that a check',
    'can fail. The table shows which mutation made each check fail. `npm run prove -- mutations` makes all mutations, one',
    'at a time, in a copy of the repository.',
    '',
    seenToFail(),
    '',
  ].join('\n');
  await writeFile(page, text);
  const before = await readFile(manual, 'utf8');
  if (!quote.test(before))
    throw new Error(
      'the manual must contain <!-- proof --> and <!-- /proof -->: this program writes the summary between them',
    );
  await writeFile(manual, before.replace(quote, `$1${summary}$2`));
  await promisify(execFile)('npx', ['oxfmt', fileURLToPath(page), fileURLToPath(manual)]);
}
