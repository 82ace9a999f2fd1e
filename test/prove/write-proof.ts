import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { format, promisify } from 'node:util';
import { mutations } from './mutations.ts';
import { type Outcome, failures, tableOf } from './report.ts';

const file = new URL('../../docs/proof.md', import.meta.url);

export async function writeProof(outcomes: readonly Outcome[]): Promise<void> {
  const invariants = outcomes.map(({ name, findings }) =>
    [
      `### ${name}`,
      '',
      ...findings.checks.map(({ invariant, holds }) => `- ${holds ? '' : '**fails**: '}${invariant}`),
    ].join('\n'),
  );
  const text = [
    '# Proof by faults and hostile input',
    '',
    'Written by `npm run prove -- --write`. This page says what was tried on the server, how often, and what was lost.',
    format(
      'Run on %s with Node %s, %d × %s.',
      new Date().toISOString().slice(0, 10),
      process.versions.node,
      cpus().length,
      cpus()[0]?.model ?? 'an unknown processor',
    ),
    '',
    `${outcomes.length} trials, ${outcomes.filter((outcome) => failures(outcome).length > 0).length} failed.`,
    '',
    tableOf(outcomes),
    '',
    '## What each trial checks',
    '',
    invariants.join('\n\n'),
    '',
    '## Seen to fail',
    '',
    'Each of these changes of the sources breaks an invariant. `npm run prove -- mutations` makes them one at a time, in a',
    'copy, and shows that the trial notices.',
    '',
    ...mutations.map(({ name, trial, invariant }) => `- \`${name}\`: \`${trial}\` fails "${invariant}"`),
    '',
  ].join('\n');
  await mkdir(new URL('.', file), { recursive: true });
  await writeFile(file, text);
  await promisify(execFile)('npx', ['oxfmt', fileURLToPath(file)]);
}
