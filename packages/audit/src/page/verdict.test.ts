import { type WitnessedLog, witnessedLog } from '@eaas/test-kit/witnessed-log';
import { madeUpLog } from '@eaas/test-kit/made-up-log';
import { expect, test, vi } from 'vitest';
import { evidence } from '../evidence.ts';
import type { AuditEntry } from '../entry.ts';
import { judge, type Verdict } from './verdict.ts';

/** Sixty entries of which one of three is shown, and what their reader was shown after entry 30. */
async function handOver() {
  const log = witnessedLog(30);
  const [signed, line] = [await sign(log), `30 ${log.entries[29]?.hash}`];
  const earlier = log.moment();
  log.append(30);
  log.moment();
  const files: Record<string, string> = {};
  for await (const { name, text } of evidence(log, { keyId: '00000000-0000-4000-8000-000000000001' })) {
    files[name] = (files[name] ?? '') + text;
  }
  const { 'entries.ndjson': text = '', 'proof.txt': proof = '' } = files;
  const lines = text.trimEnd().split('\n');
  const { policy } = log;
  return {
    log,
    policy,
    proof,
    earlier,
    signed,
    line,
    lines: lines.map((one) => JSON.parse(one) as AuditEntry),
  };
}
type Handed = Awaited<ReturnType<typeof handOver>>;

async function sign(log: WitnessedLog): Promise<string[]> {
  const { checkpoint, verifier_key } = await log.call('GET /v1/audit/checkpoint', {});
  return [checkpoint, verifier_key];
}
async function* bytesOf(lines: readonly object[]) {
  yield new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}
const change = (id: number, members: object) => (it: Handed) =>
  Object.assign(it.lines[id - 1] as object, members);
const cut =
  (at: number, count: number, ...into: AuditEntry[]) =>
  (it: Handed) =>
    it.lines.splice(at, count, ...into);
const move = ({ lines }: Handed) => lines.splice(3, 0, ...lines.splice(9, 1));
const repeat = ({ lines }: Handed) => lines.splice(9, 0, ...lines.slice(9, 10));
const begin = ({ lines, line }: Handed) => lines.splice(0, 30, { id: 30, hash: line.slice(3) } as AuditEntry);
const same = () => {};

/** Writes the whole log anew, with another entry. */
function forge({ log, lines }: Handed): void {
  log.rewrite(10);
  lines.splice(0, lines.length, ...log.entries);
}
function foreign({ log: { publicLog } }: Handed): string {
  const other = { tenantId: '00000000-0000-4000-8000-000000000003', id: 60, hash: new Uint8Array(32) };
  return publicLog.prove(other.tenantId, publicLog.moment([other], Date.now()));
}
const few = ({ log }: Handed) => log.moment({ signers: { north: 1_900_000_000 } });
const json = ({ signed: [checkpoint, verifier_key] }: Handed) => JSON.stringify({ checkpoint, verifier_key });
const keyOf = ({ signed }: Handed) => signed.slice(1);
const strangers = madeUpLog().policy;
const none = () => [];

/** What is done to the folder, what the reader keeps, what comes with the folder, and what is said. */
type Texts = (it: Handed) => readonly string[] | Promise<readonly string[]>;
type Case = readonly [string, (it: Handed) => unknown, Texts, Texts, string];

const cases: Readonly<Record<Verdict['kind'], readonly Case[]>> = {
  altered: [
    ['an entry is changed', change(10, { actor: 'x' }), none, none, 'entry 10 does not match'],
    ['a digest is changed', change(9, { digest: 'ab'.repeat(32) }), none, none, 'entry 10 does not match'],
    ['a member is added', change(10, { note: 'approved' }), none, none, 'entry 10 does not match'],
    ['an entry is removed', cut(9, 1), none, none, 'entry 10 is missing'],
    ['a hidden entry is removed', cut(8, 1), none, none, 'entry 9 is missing'],
    ['an entry is there twice', repeat, none, none, 'entry 10 is repeated'],
    ['an entry is moved', move, none, none, 'missing'],
    ['it is written anew after a line', forge, (it) => [it.line], none, 'another entry 30'],
    ['it is written anew after a checkpoint', forge, (it) => it.signed, none, 'another entry 30'],
    ['it is written anew after a proof', forge, (it) => [it.policy], (it) => [it.proof], 'another entry 60'],
  ],
  fits: [
    ['nothing is kept', same, none, none, 'Of 40 entries only a digest is shown. None was left out between'],
    ['it is written anew', forge, none, none, ''],
    ['it is written anew and signed', forge, none, ({ log }) => sign(log), 'any history'],
    ['it is signed anew by a key that is kept', forge, keyOf, ({ log }) => sign(log), 'any history'],
    ['a checkpoint has no key', same, ({ signed }) => signed.slice(0, 1), none, 'only with the verifier key'],
    ['the end is cut', cut(20, 99), (it) => [it.line], none, 'entry 30, which is after what is here'],
    ['the beginning is cut', cut(0, 9), none, none, 'Nothing shows what was before entry 10'],
    ['a proof has no policy', same, none, (it) => [it.proof], 'counts only with a trust policy'],
    ['a proof is of other witnesses', same, () => [strangers], (it) => [it.proof], 'no log of the policy'],
    ['a proof has too few witnesses', same, (it) => [it.policy], (it) => [few(it)], 'too few witnesses'],
    [
      'a proof is of the entry before it',
      begin,
      (it) => [it.policy],
      (it) => [it.earlier],
      'entry 30, which these entries follow',
    ],
    [
      'a proof is of another tenant',
      same,
      (it) => [it.policy],
      (it) => [foreign(it)],
      'log of another tenant',
    ],
  ],
  sender: [['it names its witnesses', same, none, (it) => [it.proof, it.policy], 'Signed by north, south']],
  continues: [
    ['a line is kept', same, (it) => [`\n${it.line} \r\n`], none, 'Up to entry 30, these are the entries'],
    ['a checkpoint is kept', same, (it) => it.signed, none, 'Nobody but the sender speaks for'],
    ['a checkpoint is kept as JSON', same, (it) => [json(it)], none, 'Up to entry 30'],
    ['a line of before is kept', begin, (it) => [it.line], none, 'entry 30, which these entries follow'],
  ],
  witnessed: [
    ['the policy is kept', same, (it) => [it.policy, it.line], (it) => [it.proof], 'Signed by north, south'],
    ['it has a policy too', same, (it) => [it.policy], (it) => [it.proof, strangers], 'Up to entry 60'],
  ],
};

test.each(Object.entries(cases).flatMap(([kind, all]) => all.map((one) => [kind, ...one] as const)))(
  'a folder is judged `%s` if %s',
  async (kind, _, prepare, kept, given, says) => {
    const handed = await handOver();
    prepare(handed);
    const verdict = await judge(bytesOf(handed.lines), await given(handed), await kept(handed));
    expect(verdict.kind).toBe(kind);
    expect(verdict.says.join('\n')).toContain(says);
  },
);

const prefix = 'c2sp.org/tlog-proof@';
test.each([
  `${prefix}\n\n`,
  `${prefix}\n`,
  prefix,
  `${prefix}v1\nindex 0\n\n\n`,
  '\n',
  '— a b\n',
  '\n— ',
  'eaas.audit-chain.v1/x\n0\n',
])('a text of a megabyte of %j beside the log keeps nobody from the verdict', async (piece) => {
  const { lines, policy, proof } = await handOver();
  const text = `${prefix}v1\n${piece.repeat(1_000_000 / piece.length)}—`;
  expect(await judge(bytesOf(lines), [text, proof], [policy])).toMatchObject({ kind: 'witnessed' });
});

test.each([
  [99, 'witnessed'],
  [100, 'fits'],
])('after %i proofs that do not count, the next one makes a folder `%s`', async (count, kind) => {
  const handed = await handOver();
  const given = [few(handed).repeat(count), `Trust me:\n${handed.proof}\nquorum x\n`];
  expect(await judge(bytesOf(handed.lines), given, [handed.policy])).toMatchObject({ kind });
  // What its reader keeps is read first.
  const kept = [handed.policy, handed.proof];
  expect(await judge(bytesOf(handed.lines), given, kept)).toMatchObject({ kind: 'witnessed' });
});

test('a browser without Ed25519 says so, and counts no signature', async () => {
  vi.spyOn(crypto.subtle, 'importKey').mockRejectedValue(new DOMException('', 'NotSupportedError'));
  const { lines, policy, proof, signed } = await handOver();
  const { kind, says } = await judge(bytesOf(lines), [proof], [policy, ...signed]);
  vi.restoreAllMocks();
  const refusal = 'this platform cannot verify Ed25519 signatures: take a newer one';
  expect([kind, says]).toEqual(['fits', expect.arrayContaining([refusal, refusal])]);
  expect(says.join()).not.toContain('only with the verifier key');
});
