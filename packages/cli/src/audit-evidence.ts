// `eaas audit evidence`: a folder for somebody who trusts neither the operator nor the service.
import { appendFileSync, existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { evidence, type EvidenceOptions } from '@eaas/audit';
import { inLine } from '@eaas/protocol/internal';
import { sourceOf } from './audit-proof.ts';
import { verifyEntries } from './audit-verify-file.ts';
import { onTenant, type Operator, withTenant } from './command.ts';
import { exitCodes } from './failure.ts';
import { cannotBe } from './given-file.ts';
import { WrongUsage } from './kit/index.ts';
import { note, printResult } from './output.ts';
import { requireKey } from './records.ts';
import { dayAt } from './values.ts';

export const auditEvidence = onTenant(
  'evidence',
  'Write a folder for somebody who trusts neither you nor the service. An auditor, a customer or a person checks it with the ' +
    'page verify.html, or with `audit verify-file`. It has the entries of a period, and the proof of the public log. With --key or ' +
    '--subject, it shows only entries of this key or about this person, and of all others digests.',
  [
    'audit evidence --tenant acme --from 2026-07-01 --to 2026-09-30 --out acme-q3',
    'audit evidence --tenant acme --key shop-7 --out shop-7',
  ],
)
  .requiredOption('--out <folder>', 'write to this new folder')
  .option('--from <day>', 'the first day in UTC (default: the oldest entry)', dayAt('00:00:00.000'))
  .option('--to <day>', 'the last day in UTC (default: the newest entry)', dayAt('23:59:59.999'))
  .option('--key <key>', "show only entries of this key: the key's id or name")
  .option('--subject <subject_id>', 'show only entries about this person: the id that `subject show` prints')
  .action(async ({ from, to, key, subject: subjectId, out, ...options }) => {
    const write = async (operator: Operator) => {
      const keyId = key === undefined ? undefined : (await requireKey(operator, key)).key_id;
      return writeEvidence(operator, out, { from, to, keyId, subjectId });
    };
    const written = await withTenant(options, write, true);
    printResult(written, options);
  });

/** Writes the folder, or nothing. Returns what a stranger will find in it. */
export async function writeEvidence(operator: Operator, folder: string, options: EvidenceOptions) {
  const part = `${folder}.part`;
  if (existsSync(folder)) throw new WrongUsage(`${inLine(folder)} exists: pass the path of a new folder.`);
  const remedy = 'remove what has its name';
  await mkdir(part, { mode: 0o700 }).catch(cannotBe('created', `folder ${inLine(part)}`, remedy));
  try {
    for await (const { name, text } of evidence(sourceOf(operator), options)) {
      appendFileSync(join(part, name), text, { mode: 0o600 });
    }
    const found = await verifyEntries(join(part, 'entries.ndjson'), undefined, { isPartial: true });
    await rename(part, folder);
    if (!found.valid) process.exitCode = exitCodes.refused;
    note('Entries are shown whole, with addresses and contexts: read them before you hand the folder on.');
    return { folder, ...found };
  } catch (error) {
    await rm(part, { recursive: true });
    throw error;
  }
}
