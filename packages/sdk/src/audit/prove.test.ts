import { InputError } from '@eaas/protocol';
import { describe, expect, test } from 'vitest';
import { signersOf } from '@eaas/test-kit/made-up-log';
import { witnessedLog } from '../../test/witnessed-log.ts';
import type { EntryProof } from './entry-proof.ts';
import { verifyProof } from './proof.ts';
import { proveEntry } from './prove.ts';

const receiptOf = ({ id, hash }: { readonly id: number; readonly hash: string }) => ({ id, hash });

/** A log of 250 entries whose head was witnessed, that has grown since and was witnessed again. */
function grown() {
  const log = witnessedLog(250);
  log.moment();
  log.append(30);
  log.moment();
  const receipt = (id: number) => receiptOf(log.entries[id - 1] as (typeof log.entries)[number]);
  return { log, receipt };
}

describe('`proveEntry`', () => {
  test.each([1, 2, 100, 249, 250, 251, 280])(
    'proves entry %i with its receipt, and somebody who has only the policy verifies it from JSON',
    async (id) => {
      const { log, receipt } = grown();
      const proof = await proveEntry(log, receipt(id), { policy: log.policy });
      const received = JSON.parse(JSON.stringify(proof)) as EntryProof;
      expect(await verifyProof(received, log.policy)).toMatchObject({
        tenantId: log.tenantId,
        entry: log.entries[id - 1],
        id: id > 250 ? 280 : 250,
        witnesses: ['north', 'south'],
      });
      expect(await proveEntry(log, id)).toEqual(proof);
    },
  );

  test('the proof has the entries from the receipt to the first head that was witnessed, and no other', async () => {
    const { log, receipt } = grown();
    const { entry, entries } = await proveEntry(log, receipt(245));
    expect([entry, ...entries]).toEqual(log.entries.slice(244, 250));
  });

  test('`before` is the time of the witnesses, and `claimedTime` that of the operator', async () => {
    const since = Date.now();
    const log = witnessedLog(3);
    log.moment({ signers: { north: 1_900_000_000, south: 1_900_000_030, east: 1_900_000_060 } });
    const { before, claimedTime } = await verifyProof(await proveEntry(log, 2), log.policy);
    expect(before).toEqual(new Date(1_900_000_030_000));
    expect(claimedTime.getTime()).toBeGreaterThanOrEqual(since);
    expect(claimedTime.getTime()).toBeLessThanOrEqual(Date.now());
  });

  test('a receipt of another tenant, or of an entry that was rewritten, is refused', async () => {
    const { log, receipt } = grown();
    const foreign = { ...receipt(100), hash: 'ab'.repeat(32) };
    await expect(proveEntry(log, foreign)).rejects.toMatchObject({
      code: 'proof_chain',
      message: expect.stringContaining('it is of another tenant, or the log was rewritten') as string,
    });
    const kept = receipt(100);
    Object.assign(log.entries[99] as object, { actor: 'nobody' });
    log.rechain();
    log.proofs.length = 0;
    log.moment();
    await expect(proveEntry(log, kept)).rejects.toMatchObject({ code: 'proof_chain' });
  });

  test('a log that was rewritten after the moment does not lead to the proven head', async () => {
    const { log } = grown();
    Object.assign(log.entries[99] as object, { actor: 'nobody' });
    log.rechain();
    const end = 'the proof is refused: its entries do not end in entry 250, the proven head';
    await expect(proveEntry(log, 100)).rejects.toThrow(end);
    await expect(proveEntry(log, 120)).rejects.toThrow(end);
  });

  test('before the next moment, `not_found` of the service is thrown', async () => {
    const { log } = grown();
    log.append(1);
    await expect(proveEntry(log, 281)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a policy that is not met refuses the proof before any entry is read', async () => {
    const log = witnessedLog(5);
    log.moment({ signers: { north: 1_900_000_000 } });
    await expect(proveEntry(log, 3, { policy: log.policy })).rejects.toMatchObject({ code: 'proof_quorum' });
    expect(log.calls['GET /v1/audit']).toBeUndefined();
  });

  test('more entries than `maxEntries` are not read', async () => {
    const { log } = grown();
    await expect(proveEntry(log, 200, { maxEntries: 50 })).rejects.toThrow(
      'the proof of entry 200 would have 51 entries',
    );
    await expect(proveEntry(log, 200, { maxEntries: 50 })).rejects.toThrow(InputError);
    expect(log.calls['GET /v1/audit']).toBeUndefined();
    await proveEntry(log, 200, { maxEntries: 51 });
  });

  test('the first entry after a purge is proven, and a purged one is not', async () => {
    const { log } = grown();
    log.purge(100);
    const proof = await proveEntry(log, 101, { policy: log.policy });
    expect(await verifyProof(proof, log.policy)).toMatchObject({ entry: { id: 101 } });
    await expect(proveEntry(log, 100)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('members that the service added are left out, because no hash covers them', async () => {
    const { log } = grown();
    log.pages = (page) => ({ ...page, logs: page.logs.map((entry) => ({ ...entry, note: 'approved' })) });
    const { entry } = await proveEntry(log, 249, { policy: log.policy });
    expect(entry).not.toHaveProperty('note');
  });
});

const { log } = grown();
const honest = await proveEntry(log, 245);
const changed = (changes: Partial<Record<keyof EntryProof, unknown>>): EntryProof =>
  ({ ...honest, ...changes }) as EntryProof;
const [first, second, ...rest] = honest.entries as [EntryProof['entry'], EntryProof['entry']];
const other = witnessedLog(250);
other.moment();

describe('`verifyProof` of what `proveEntry` returned refuses', () => {
  const forged: readonly (readonly [string, EntryProof, string])[] = [
    ['a changed actor of the proven entry', changed({ entry: { ...honest.entry, actor: 'me' } }), 'chain'],
    [
      'a changed actor of a later entry',
      changed({ entries: [{ ...first, actor: 'me' }, second, ...rest] }),
      'chain',
    ],
    ['a member that no hash covers', changed({ entry: { ...honest.entry, note: 'approved' } }), 'chain'],
    ['a missing entry', changed({ entries: [second, ...rest] }), 'chain'],
    ['a repeated entry', changed({ entries: [first, first, second, ...rest] }), 'chain'],
    ['no entries', changed({ entries: [] }), 'chain'],
    ['another hash of the entry before', changed({ previous_hash: 'ab'.repeat(32) }), 'chain'],
    ['another tenant', changed({ tenant_id: '00000000-0000-4000-8000-000000000002' }), 'chain'],
    ['another version', changed({ version: 2 }), 'format'],
    ['an entry without a hash', changed({ entry: { ...honest.entry, hash: '' } }), 'format'],
    ['entries that are no list', changed({ entries: {} }), 'format'],
    ['no proof', changed({ proof: undefined }), 'format'],
    ['the later proof of the same tenant', changed({ proof: log.proofs[1]?.proof }), 'chain'],
    ['the proof of another log', changed({ proof: other.proofs[0]?.proof }), 'log'],
  ];
  test.each(forged)('%s', async (_, proof, code) => {
    await expect(verifyProof(proof, log.policy)).rejects.toMatchObject({ code: `proof_${code}` });
  });

  test('a head of another tenant that the operator gave the same entry', async () => {
    const log = witnessedLog(3);
    log.moment();
    const tenantId = '00000000-0000-4000-8000-000000000002';
    const hash = Uint8Array.from(Buffer.from(log.entries[2]?.hash ?? '', 'hex'));
    const proof = log.publicLog.prove(
      tenantId,
      log.publicLog.moment([{ tenantId, id: 3, hash }], Date.now()),
    );
    expect(await verifyProof(proof, log.policy)).toMatchObject({ tenantId, id: 3 });
    const forged = { ...(await proveEntry(log, 2)), proof };
    await expect(verifyProof(forged, log.policy)).rejects.toMatchObject({ code: 'proof_chain' });
  });

  test('a date that no calendar has, although it is the same moment for `Date.parse`', async () => {
    const log = witnessedLog(2);
    log.time = Date.parse('2026-10-01T00:00:00Z');
    log.append(1);
    log.moment();
    const proof = await proveEntry(log, 3);
    const entry = { ...proof.entry, created_at: '2026-09-31T00:00:00.000Z' };
    expect(Date.parse(entry.created_at)).toBe(log.time);
    await expect(verifyProof({ ...proof, entry }, log.policy)).rejects.toMatchObject({ code: 'proof_chain' });
  });

  test('a proof that claims to be older than its moment', async () => {
    const log = witnessedLog(5);
    log.moment({ claims: { time: Date.now() - 86_400_000 } });
    const proof = await proveEntry(log, 3);
    await expect(verifyProof(proof, log.policy)).rejects.toMatchObject({ code: 'proof_inclusion' });
  });

  test('a cosignature that was made earlier, over an earlier checkpoint', async () => {
    const signers = signersOf();
    const log = witnessedLog(5, signers);
    const early = log.moment({ signers: { north: 1_700_000_000, south: 1_700_000_000 } });
    log.append(1);
    const late = log.moment();
    const lines = (proof: string) => proof.split('\n').filter((line) => /^— (north|south)/.test(line));
    const forged = lines(late).reduce((text, line, at) => text.replace(line, lines(early)[at] ?? ''), late);
    const proof = { ...(await proveEntry(log, 6)), proof: forged };
    expect(forged).not.toBe(late);
    await expect(verifyProof(proof, log.policy)).rejects.toMatchObject({ code: 'proof_signature' });
  });

  test('two histories of one log, to somebody who has only one of them: both are valid, and they differ', async () => {
    const signers = signersOf();
    const [one, two] = [witnessedLog(5, signers), witnessedLog(5, signers)];
    Object.assign(two.entries[2] as object, { actor: 'nobody' });
    two.rechain();
    one.moment();
    two.moment();
    const [first, second] = await Promise.all(
      [one, two].map(async (log) => verifyProof(await proveEntry(log, 3), one.policy)),
    );
    expect(first?.entry.hash).not.toBe(second?.entry.hash);
  });
});
