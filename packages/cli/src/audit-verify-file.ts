// `eaas audit verify-file`: verifies an exported log without the service. `audit evidence` and `audit replay` verify with it too.
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { printJson, WrongUsage } from './kit/index.ts';
import { type AuditEntry, type AuditHead, openCheckpoint, verifyFile } from '@eaas/audit';
import { InputError } from '@eaas/protocol';
import { openProof, showProof } from './audit-proof.ts';
import { reporting } from './command.ts';
import { exitCodes } from './failure.ts';
import { cannotBe, readCheckpointFile } from './given-file.ts';
import { note } from './output.ts';

/** A head that the log must have, as a checkpoint or a proof of the public log states it. */
interface Stated extends AuditHead {
  readonly tenantId: string;
  readonly by?: 'checkpoint' | 'proof';
  readonly before?: Date;
}
type Verdict = Awaited<ReturnType<typeof verifyEntries>>;

export const auditVerifyFile = reporting(
  'verify-file',
  'Verify an exported audit log, without the service and without a secret. Pass a checkpoint that you took or received ' +
    'earlier, and the verifier key that you wrote down with it: this proves the log up to the entry of the checkpoint. ' +
    'Without a checkpoint, the command shows only that the file is consistent, because the hashes use no secret. With ' +
    '--proof, the log must have the head that witnesses of the public log have seen. With --proof alone, the command says what ' +
    'existed, before which time, by which witnesses.',
  [
    "audit verify-file acme.ndjson --checkpoint-file acme.checkpoint --verifier-key 'eaas/…+…+…'",
    'audit verify-file acme.ndjson',
    'audit verify-file acme.ndjson --proof acme.tlog-proof --policy policy.txt',
    'audit verify-file --proof entry.json --policy policy.txt',
  ],
)
  .argument('[file]', 'a file that `eaas audit export` or the console wrote')
  .option('--checkpoint-file <path>', 'the log must extend this checkpoint')
  .option('--verifier-key <key>', 'the verifier key that you pinned with the first checkpoint')
  .option('--proof <file>', 'a proof that `eaas audit prove`, the console or the API wrote')
  .option('--policy <file>', 'the trust policy: the log, its witnesses, and how many must have signed')
  .option('--partial', 'of some entries the file shows only the digest. Their text is not checked')
  .action(async (file, options) => {
    const { checkpointFile, verifierKey, proof, policy, partial, json } = options;
    if ((proof === undefined) !== (policy === undefined)) {
      throw new WrongUsage('Pass both --proof and --policy, or neither.');
    }
    if ((checkpointFile === undefined) !== (verifierKey === undefined)) {
      throw new WrongUsage('Pass both --checkpoint-file and --verifier-key, or neither.');
    }
    if (proof !== undefined && checkpointFile !== undefined) {
      throw new WrongUsage('Pass either --proof or --checkpoint-file: verify the file twice to use both.');
    }
    const proven = proof && policy ? await openProof(proof, policy, options) : undefined;
    if (proof && !proven) return;
    if (file === undefined) {
      if (!proven) throw new WrongUsage('Pass a file, or --proof and --policy.');
      return showProof(proven, options);
    }
    const signed = checkpointFile && verifierKey ? await stated(checkpointFile, verifierKey) : undefined;
    const head = proven ? { ...proven, by: 'proof' as const } : signed;
    const verdict = await verifyEntries(file, head, { isPartial: partial ?? false });
    if (json) printJson(verdict);
    else show(verdict, head);
    if (!verdict.valid) process.exitCode = exitCodes.refused;
  });

async function stated(path: string, verifierKey: string): Promise<Stated> {
  const head = await openCheckpoint(readCheckpointFile(path), verifierKey);
  if (head) return { tenantId: head.tenant_id, id: head.id, hash: head.hash };
  throw new WrongUsage(
    `The checkpoint ${path} has no valid signature of the key in --verifier-key. ` +
      'Pass the verifier key that you wrote down with this checkpoint. If you did, the checkpoint was changed.',
  );
}

/** Verifies the entries of a file, and shows each of them to `see`, whatever was found. */
export async function verifyEntries(
  path: string,
  stated: Stated | undefined,
  { isPartial = false, see }: { isPartial?: boolean; see?: (entry: AuditEntry) => void } = {},
) {
  const file = createReadStream(path);
  // `createReadStream` can open a directory without an error. Only the attempt to read the first bytes shows the error.
  await once(file, 'readable').catch(cannotBe('read', `file ${path}`));
  const heads = stated ? [stated] : [];
  const options = { heads, allowHidden: isPartial, onEntry: see };
  const report = await verifyFile(file, options).catch((error: unknown) => {
    if (!(error instanceof InputError)) throw error;
    throw new WrongUsage(
      `The file ${path} is refused: ${error.message.replace('`allowHidden`', '--partial')}.`,
    );
  });
  const { tenantId: tenant_id, hidden, before, first, last } = report;
  const errors = report.findings.map(({ id, code }) => ({ id: id ?? 0, reason: code as string }));
  const [how = 'same'] = report.compared;
  if (stated && how !== 'same') {
    const { by = 'checkpoint', id } = stated;
    const isOther = how === 'other' || (how === 'ahead' && by === 'proof');
    errors.push({ id, reason: `${by}_${isOther ? 'mismatch' : how}` });
  }
  const first_id = first.id;
  const last_id = last.id;
  const is = { tenant_id, valid: errors.length === 0, checked: report.entries, hidden };
  return { ...is, first_id, last_id, before, hash: last.hash, errors };
}

function show(found: Verdict, stated: Stated | undefined): void {
  const { tenant_id, valid, hidden, first_id, last_id, before, errors } = found;
  const isApart = errors.length === 1 && /_(of_other_tenant|before_file)$/.test(errors[0]?.reason ?? '');
  const verdict = valid ? 'valid' : isApart ? 'not compared' : 'BROKEN';
  const findings = errors.map(({ id, reason }) => `  entry ${id}: ${reason}\n`).join('');
  process.stdout.write(`${tenant_id}: ${verdict}, entries ${first_id} to ${last_id}\n${findings}`);
  const { id, tenantId, before: seen } = stated ?? { id: 0 };
  note(
    errors.some(({ reason }) => reason === 'proof_mismatch') &&
      `Before ${seen?.toISOString()}, witnesses signed another entry ${id}: an entry up to there was changed or cut off.`,
    isApart && `This says nothing against the file. Pass one of the tenant ${tenantId} that has entry ${id}.`,
  );
  if (!valid) return;
  note(
    first_id !== 1 &&
      !before &&
      `The file begins with entry ${first_id}, so the hash of this entry was not verified. What earlier ones said was not compared.`,
    hidden > 0 &&
      `Of ${hidden} entries only the digest is shown: none is missing or was exchanged, but their text, time, MAC and ` +
        'contradictions were not checked. They can be about the same key or the same person as those that are shown.',
    !stated &&
      'No checkpoint was passed: this shows only that the file is consistent, not that it is the original log.',
    seen !== undefined && `The entries up to ${id} existed, as they are here, before ${seen.toISOString()}.`,
    stated !== undefined &&
      !seen &&
      id < last_id &&
      `The checkpoint proves the entries up to ${id}. A later checkpoint proves the others.`,
  );
}
