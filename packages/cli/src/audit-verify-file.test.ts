import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditEntry } from '@eaas/audit';
import { entryDigest } from '@eaas/protocol/audit';
import { afterEach, expect, test, vi } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { madeUpLog, signersOf } from '@eaas/test-kit/made-up-log';
import { read } from '@eaas/test-kit/markdown';
import { openProof } from './audit-proof.ts';
import { verifyEntries } from './audit-verify-file.ts';
import { tell } from './program.ts';

const lines = read('examples/tampered-log/acme.original.ndjson').trimEnd().split('\n');
const entries = lines.map((line) => JSON.parse(line) as AuditEntry);
const file = join(await newDirectory(), 'acme.ndjson');

async function verify(changed: readonly string[], ...more: [head?: object, isPartial?: boolean]) {
  await writeFile(file, `${changed.join('\n')}\n`);
  const [head, isPartial = false] = more;
  const { tenant_id: tenantId = '', hash = '' } = entries[4] ?? {};
  const stated = head && { tenantId, id: 5, hash, ...head };
  return verifyEntries(file, stated, { isPartial });
}

const proof = { by: 'proof' };
test.each<[string, number, number, object, string[]]>([
  ['has the head', 1, 7, proof, []],
  ['ends before the head of a proof', 1, 4, proof, ['proof_mismatch']],
  ['ends before the head of a checkpoint', 1, 4, {}, ['checkpoint_ahead']],
  ['has another entry', 1, 7, { hash: '00'.repeat(32) }, ['checkpoint_mismatch']],
  ['begins after the head', 6, 7, proof, ['proof_before_file']],
  ['is the log of another tenant', 1, 7, { tenantId: 'another' }, ['checkpoint_of_other_tenant']],
])('a file that %s', async (_, first, last, head, reasons) => {
  const { errors } = await verify(lines.slice(first - 1, last), head);
  expect(errors).toEqual(reasons.map((reason) => ({ id: 5, reason })));
});

test('the errors name each entry, and what is wrong with it', async () => {
  const errors = [3, 5].map((id) => ({ id, reason: 'entry_missing' }));
  expect(await verify(lines.toSpliced(4, 1).toSpliced(2, 1))).toMatchObject({ valid: false, errors });
});

test('a file of which a part is shown is verified with --partial alone', async () => {
  const digest = Buffer.from(entryDigest(entries[3] as AuditEntry)).toString('hex');
  const partial = lines.with(3, JSON.stringify({ id: 4, digest }));
  expect(await verify(partial, proof, true)).toMatchObject({
    hidden: 1,
    first_id: 1,
    last_id: 7,
    errors: [],
  });
  await expect(verify(partial)).rejects.toThrow(/^The file .* is refused: entry 4 is hidden: pass --partial/);
});

let printed = '';
const print = (text: string | Uint8Array): boolean => {
  printed += String(text);
  return true;
};
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

/** Text that a terminal would obey, as a log or a witness can be named in a file. */
const nasty = '\u202evalid\u009b8m';
const visible = String.raw`\u202evalid\u009b8m`;

test.each<[string, string, string]>([
  ['of a log that has it as its name', madeUpLog().policy, 'REFUSED (proof_log): '],
  ['with a policy that has it', `quorum ${nasty}`, 'Line 1 of the policy is not valid: '],
])('text that steers a terminal is shown escaped in one line: a proof %s', async (_, policy, begins) => {
  const log = madeUpLog(signersOf(nasty));
  const { tenant_id: tenantId, id, hash } = entries[0] as AuditEntry;
  const index = log.moment([{ tenantId, id, hash: Uint8Array.from(Buffer.from(hash, 'hex')) }], Date.now());
  await writeFile(file, log.prove(tenantId, index));
  await writeFile(`${file}.policy`, policy);
  printed = '';
  for (const name of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[name], 'write').mockImplementation(print);
  }
  await openProof(file, `${file}.policy`, {}).catch((error: unknown) =>
    tell(error, ['audit', 'verify-file']),
  );
  expect(printed).toMatch(/^[ -~]+\n$/);
  expect(printed).toContain(begins);
  expect(printed).toContain(visible);
});
