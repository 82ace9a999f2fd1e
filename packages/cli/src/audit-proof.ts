// Proofs of the public log for somebody else: `audit prove` makes one, and `audit verify-file --proof` checks it offline.
import { printJson } from './kit/index.ts';
import {
  type EntryProof,
  LogProofError,
  proveEntry,
  type ProofSource,
  type VerifiedEntry,
  verifyProof,
} from '@eaas/audit';
import { inLine } from '@eaas/protocol/internal';
import { writeNewFile } from '@eaas/server/internal';
import { onTenant, type Operator, withTenant } from './command.ts';
import { exitCodes } from './failure.ts';
import { cannotBe, objectIn, readGiven } from './given-file.ts';
import { entriesAfter, lastBefore } from './next-entries.ts';
import { note, printResult, type Reporting, write } from './output.ts';
import { wholeNumber } from './values.ts';

export const auditProve = onTenant(
  'prove',
  'Prove to somebody else that an entry existed by a time. Witnesses of the public log said so, and `audit verify-file ' +
    '--proof` checks it without the service. The proof contains the whole entry, with ids of people, an IP address and a ' +
    'context: read it before you hand it on. Of those that follow, up to the first head that the public log has, it has digests.',
  [
    'audit prove --tenant acme --entry 1042 --out entry.json',
    'audit prove --tenant acme --entry 1042 --policy policy.txt',
  ],
)
  .requiredOption('--entry <id>', 'the id of the entry', wholeNumber)
  .option('--policy <file>', 'a trust policy: refuse a proof that too few of its witnesses signed')
  .option('--max-entries <number>', 'refuse a proof that chains more entries (default: 10000)', wholeNumber)
  .option('--out <file>', 'write the proof to this new file')
  .action(async ({ entry, policy: policyFile, maxEntries, out, ...options }) => {
    const policy = policyFile === undefined ? undefined : readGiven(policyFile, 'policy');
    const prove = (operator: Operator) => proveEntry(sourceOf(operator), entry, { policy, maxEntries });
    const proof = await withTenant(options, prove, true);
    const text = `${JSON.stringify(proof)}\n`;
    if (out === undefined) await write(text);
    else {
      await writeNewFile(out, text).catch(cannotBe('written', `file ${out}`, 'pass the path of a new file'));
      printResult({ file: out, tenant_id: proof.tenant_id, entry, digests: proof.digests.length }, options);
    }
    note(
      'The proof contains the whole entry, with ids of people, an IP address and a context. Read it before you hand it on.',
    );
  });

/** What `@eaas/audit` asks, answered by the database, with the public log. */
export function sourceOf(operator: Operator): ProofSource {
  const { service, tenantId, ask } = operator;
  const audit: ProofSource['audit'] = {
    async *list({ date_from }: { readonly date_from?: string }, { from }) {
      const before = date_from === undefined ? 0 : await lastBefore(operator, Date.parse(date_from));
      const after = { id: Math.max(from - 1, before), hash: null };
      for await (const { entries } of entriesAfter(service, tenantId, after)) yield* entries;
    },
    verify: (range) => ask('GET /v1/audit/verify', range),
    proof: (query) => ask('GET /v1/audit/proof', query),
  };
  return { audit };
}

/** How far the clocks of witnesses, operators and readers may differ without a remark, in milliseconds. */
const leeway = 60_000;

/** Verifies a proof from a file, or says why it is refused and returns undefined. */
export async function openProof(file: string, policyFile: string, { json }: Reporting) {
  const proof = proofIn(readGiven(file, 'proof'));
  const policy = readGiven(policyFile, 'policy');
  try {
    const shown: Shown = await verifyProof(proof, policy);
    const before = shown.before.getTime();
    const isOdd = before < shown.claimedTime.getTime() - leeway || before > Date.now() + leeway;
    if (isOdd && !json) {
      note('A clock is wrong: the time of the witnesses is before that of the operator, or in the future.');
    }
    return shown;
  } catch (error) {
    if (!(error instanceof LogProofError)) throw error;
    if (json) printJson({ valid: false, code: error.code, reason: error.message });
    else process.stdout.write(`REFUSED (${error.code}): ${inLine(error.message)}\n`);
    process.exitCode = exitCodes.refused;
    return undefined;
  }
}

type Shown = Omit<VerifiedEntry, 'entry'> & Partial<Pick<VerifiedEntry, 'entry'>>;

function asRecord({ tenantId, id, hash, before, claimedTime, origin, witnesses, entry }: Shown) {
  const log = { origin, witnesses, before: before.toISOString(), claimed_time: claimedTime.toISOString() };
  return { valid: true, tenant_id: tenantId, entry: entry ?? null, head: { id, hash }, ...log };
}

/** Says what a proof shows and what not. */
export function showProof(shown: Shown, { json }: Reporting): void {
  const record = asRecord(shown);
  if (json) return printJson(record);
  const { valid: _, head, entry, before, claimed_time, ...rest } = record;
  const times = { 'existed before': before, 'claimed time': claimed_time };
  process.stdout.write('valid\n');
  printResult({ ...rest, ...(entry && { entry }), head: `${head.id} ${head.hash}`, ...times }, {});
  note(
    `The witnesses above signed a log with ${entry ? 'this entry, so it existed, as it is shown here,' : 'this head, so it existed'} ` +
      `before ${before}.`,
    'The proof does not show that what the log says is true or complete, nor that no other history was shown to others. ' +
      'The claimed time is what the operator wrote, and the witnesses count only if you trust the policy.',
  );
}

/** A proof is the text of a tlog-proof, the response of the API with it, or what `audit prove` wrote. */
function proofIn(text: string): string | EntryProof {
  const given = objectIn(text) as EntryProof | { readonly proof?: string } | undefined;
  // `verifyProof` refuses any other text.
  return given && 'entry' in given ? given : (given?.proof ?? text);
}
