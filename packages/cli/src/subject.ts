// Commands about people. A subject never comes from the command line, where other users of the machine and the history of
// the shell would see it: it is asked for, or read from standard input.
import { printJson, WrongUsage } from './kit/index.ts';
import { endpoints } from '@eaas/protocol/wire';
import { checked } from '@eaas/server/internal';
import { writeEvidence } from './audit-evidence.ts';
import { allPages, onTenant, type Operator, Option, withTenant } from './command.ts';
import { ask, requireConfirmable, requireYes } from './confirm.ts';
import { ifFound, orNotFound } from './refusal.ts';
import { readLine } from './given-file.ts';
import { next, note, printResult, printResults, write } from './output.ts';
import { parsed } from './values.ts';

type Named = { readonly subject: string } | { readonly subject_id: string };

const howToName =
  'The command asks for the subject, or reads it as the only line of standard input. It is no argument, because ' +
  'other users of the machine and the history of the shell would see it. Or pass --id.';

const wholeId = parsed(
  'the whole subject_id: 64 lower-case hexadecimal characters. The log has only the first 32, except for an erasure',
  (text) => (/^[\da-f]{64}$/.test(text) ? text : undefined),
);

function onSubject(name: string, description: string, examples: readonly string[] = []) {
  const all = [`subject ${name} --tenant acme`, `subject ${name} --tenant acme < subject.txt`, ...examples];
  return onTenant(name, `${description} ${howToName}`, all).option(
    '--id <subject_id>',
    'the subject_id, 64 hexadecimal characters, instead of the subject',
    wholeId,
  );
}

/** Returns what the options or standard input say. */
async function named(id: string | undefined): Promise<Named> {
  if (id !== undefined) return { subject_id: id };
  const missing = 'No subject was entered: enter it, pipe it to standard input, or pass --id.';
  const given = process.stdin.isTTY
    ? await ask('The subject, as the application passes it: ', missing)
    : await readLine('subject');
  if (given === '') throw new WrongUsage(missing);
  return checked(endpoints['POST /v1/subjects/show'].body, { subject: given }) as Named;
}

const missing =
  'The tenant has no such subject. A subject is compared exactly: enter it as the application passes it.';

const find = ({ ask }: Operator, name: Named) => orNotFound(missing, ask('POST /v1/subjects/show', name));

const show = onSubject('show', 'Show when a subject was first used, and whether it was erased.').action(
  async ({ id, ...options }) => {
    const name = await named(id);
    printResult(await withTenant(options, (operator) => find(operator, name)), options);
  },
);

const report = onSubject(
  'report',
  'Report who used the data of a subject, and when. Prints a row for each entry of the audit log that still exists, the ' +
    'newest first, which you can show to this person. `user` is the id of the user who acted. Values in an older form are in no entry.',
  ['subject report --tenant acme --format csv < subject.txt > report.csv'],
)
  .option(
    '--evidence <folder>',
    'also write these entries, whole and provably genuine, to this new folder, as `audit evidence` does',
  )
  .addOption(
    new Option('--format <format>', 'how to print the rows').choices(['table', 'csv']).default('table'),
  )
  .action(async (options) => {
    const { id, json, format, evidence } = options;
    const name = await named(id);
    if (json && format === 'csv') throw new WrongUsage('Pass either --json or --format csv.');
    const read = async (operator: Operator) => {
      const { subject_id } = await find(operator, name);
      if (evidence !== undefined) await writeEvidence(operator, evidence, { subjectId: subject_id });
      const list = async (page: object) =>
        (await operator.ask('GET /v1/audit', { ...page, subject_id })).logs;
      return allPages(list, 'id');
    };
    const entries = await withTenant(options, read, evidence !== undefined);
    const { reportCsv, reportRow } = await import('@eaas/sdk/internal');
    const rows = entries.map(reportRow);
    if (format === 'csv') await write(reportCsv(rows));
    else printResults(rows, ['time', 'action', 'user', 'outcome'], options);
  });

const erase = onSubject(
  'erase',
  'Erase a subject, for ever. Nothing that was encrypted under it opens again, in any table, replica or backup of the ' +
    'application. Repeated, it prints the same result. Then set its fingerprint columns to NULL, and values in an older form.',
  ['subject erase --tenant acme --yes < subject.txt'],
)
  .option('--create', 'remember an unknown subject as erased, so that a delayed job cannot bring it back')
  .option('--yes', 'do not ask. Required without a terminal')
  .action(async (options) => {
    const { id, create, yes } = options;
    requireConfirmable(yes, '--yes');
    const name = await named(id);
    const erased = await withTenant(options, async (operator) => {
      const known = find(operator, name);
      const found = await (create ? ifFound(known) : known);
      if (!found?.erased_at) await requireYes(yes, warningOf(found));
      return operator.ask('POST /v1/subjects/erase', { ...name, ...(create && { create }) });
    });
    if (options.json) return printJson(erased);
    const { entry, ...record } = erased;
    printResult({ ...record, entry_id: entry.id, entry_hash: entry.hash }, options);
    note('Keep entry_hash with the request of the person: the audit log proves the erasure by it.');
    next('set to NULL the fingerprint columns of the person, and values still in an older form', options);
  });

function warningOf(found: Awaited<ReturnType<typeof find>> | undefined): string {
  if (!found) return 'The tenant does not know this subject. It will be remembered as erased, for ever.';
  return (
    `The subject ${found.subject_id}, first used at ${found.created_at}, will be erased for ever, and ` +
    `nothing that was encrypted under it can be read again.`
  );
}

export const subjectCommands = [show, report, erase];
