import { InputError } from '@eaas/protocol';
import { describe, expect, test } from 'vitest';
import { witnessedLog } from '@eaas/test-kit/witnessed-log';
import { type EntryProof, proveEntry, verifyProof } from './index.ts';

/** A log of 250 entries whose head was witnessed, that has grown since and was witnessed again. */
function grown() {
  const log = witnessedLog(250);
  log.moment();
  log.append(30);
  log.moment();
  return { log, receipt: log.headAt };
}
const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    ({ code }: { readonly code?: unknown }) => code,
  );

describe('`proveEntry`', () => {
  test.each([1, 2, 100, 249, 250, 251, 280])(
    'proves entry %i with its receipt, and somebody who has only the policy verifies it from JSON',
    async (id) => {
      const { log, receipt } = grown();
      const proof = await proveEntry(log, receipt(id), { policy: log.policy });
      const head = id > 250 ? 280 : 250;
      expect(proof.entry).toEqual(log.entries[id - 1]);
      expect(proof.digests).toHaveLength(head - id);
      expect(JSON.stringify(proof.digests)).toMatch(/^[[\]",0-9a-f]*$/);
      const shown = await verifyProof(JSON.parse(JSON.stringify(proof)) as EntryProof, log.policy);
      expect(shown).toMatchObject({ tenantId: log.tenantId, entry: proof.entry, id: head });
      expect(shown.witnesses).toEqual(['north', 'south']);
      expect(await proveEntry(log, id)).toEqual(proof);
    },
  );

  test('`before` is the time of the witnesses, and `claimedTime` that of the operator', async () => {
    const since = Date.now();
    const log = witnessedLog(3);
    log.moment({ signers: { north: 1_900_000_000, south: 1_900_000_030, east: 1_900_000_060 } });
    const { before, claimedTime } = await verifyProof(await proveEntry(log, 2), log.policy);
    expect(before).toEqual(new Date(1_900_000_030_000));
    expect(claimedTime.getTime()).toBeGreaterThanOrEqual(since);
  });

  test('a receipt of another tenant, or of an entry that was rewritten, is refused', async () => {
    const { log, receipt } = grown();
    const foreign = proveEntry(log, { ...receipt(100), hash: 'ab'.repeat(32) });
    await expect(foreign).rejects.toThrow('it is of another tenant, or the log was rewritten');
    const kept = receipt(100);
    log.rewrite(100);
    const end = 'the proof is refused: its digests do not end in entry 250, the proven head';
    for (const id of [100, 120]) await expect(proveEntry(log, id)).rejects.toThrow(end);
    log.proofs.length = 0;
    log.moment();
    expect(await codeOf(proveEntry(log, kept))).toBe('proof_chain');
  });

  test('before the next moment, `not_found` of the service is thrown', async () => {
    const { log } = grown();
    log.append(1);
    expect(await codeOf(proveEntry(log, 281))).toBe('not_found');
  });

  test('no entry is read for a policy that is not met, and for more than `maxEntries`', async () => {
    const log = witnessedLog(5);
    log.moment({ signers: { north: 1_900_000_000 } });
    expect(await codeOf(proveEntry(log, 3, { policy: log.policy }))).toBe('proof_quorum');
    const tooMany = proveEntry(log, 3, { maxEntries: 2 });
    await expect(tooMany).rejects.toThrow(InputError);
    await expect(tooMany).rejects.toThrow('the proof of entry 3 would chain 3 entries');
    expect(log.calls['GET /v1/audit']).toBeUndefined();
    await proveEntry(log, 3, { maxEntries: 3 });
  });

  test('the first entry after a purge is proven, and a purged one is not', async () => {
    const { log } = grown();
    log.purge(100);
    const proof = await proveEntry(log, 101, { policy: log.policy });
    expect(await verifyProof(proof, log.policy)).toMatchObject({ entry: { id: 101 } });
    expect(await codeOf(proveEntry(log, 100))).toBe('not_found');
  });

  test('members that the service added are left out, because no hash covers them', async () => {
    const { log } = grown();
    log.pages = (page) => ({ ...page, logs: page.logs.map((entry) => ({ ...entry, note: 'approved' })) });
    const { entry } = await proveEntry(log, 249, { policy: log.policy });
    expect(entry).not.toHaveProperty('note');
  });
});

describe('`verifyProof` of what `proveEntry` returned refuses', async () => {
  const { log } = grown();
  const other = witnessedLog(250);
  other.moment();
  const honest = await proveEntry(log, 245);
  const { entry, digests } = honest;
  const [first = '', second = '', ...rest] = digests;
  const tenant_id = '00000000-0000-4000-8000-000000000002';
  const forged: readonly (readonly [string, Partial<Record<keyof EntryProof, unknown>>, string])[] = [
    ['a changed actor of the proven entry', { entry: { ...entry, actor: 'me' } }, 'chain'],
    ['a changed salt of the proven entry', { entry: { ...entry, salt: '00'.repeat(16) } }, 'chain'],
    ['a salt in capitals', { entry: { ...entry, salt: entry.salt.toUpperCase() } }, 'chain'],
    ['another digest of a later entry', { digests: ['ab'.repeat(32), second, ...rest] }, 'chain'],
    ['a member that no hash covers', { entry: { ...entry, note: 'approved' } }, 'chain'],
    ['a missing digest', { digests: [second, ...rest] }, 'chain'],
    ['a repeated digest', { digests: [first, first, second, ...rest] }, 'chain'],
    ['digests in another order', { digests: [second, first, ...rest] }, 'chain'],
    ['no digests', { digests: [] }, 'chain'],
    ['another hash of the entry before', { previous_hash: 'ab'.repeat(32) }, 'chain'],
    ['another tenant', { tenant_id }, 'chain'],
    ['another version', { version: 3 }, 'format'],
    ['the version before', { version: 1 }, 'format'],
    ['an entry without an id', { entry: { ...entry, id: undefined } }, 'format'],
    ['digests that are no list', { digests: {} }, 'format'],
    ['a digest that is none', { digests: [first.toUpperCase(), second, ...rest] }, 'format'],
    ['no proof', { proof: undefined }, 'format'],
    ['the later proof of the same tenant', { proof: log.proofs[1]?.proof }, 'chain'],
    ['the proof of another log', { proof: other.proofs[0]?.proof }, 'log'],
  ];
  test.each(forged)('%s', async (_, changes, code) => {
    expect(await codeOf(verifyProof({ ...honest, ...changes } as EntryProof, log.policy))).toBe(
      `proof_${code}`,
    );
  });

  test('a head of another tenant that the operator gave the same entry', async () => {
    const log = witnessedLog(3);
    log.moment();
    const head = { tenantId: tenant_id, id: 3, hash: Buffer.from(log.entries[2]?.hash ?? '', 'hex') };
    const proof = log.publicLog.prove(tenant_id, log.publicLog.moment([head], Date.now()));
    expect(await verifyProof(proof, log.policy)).toMatchObject({ tenantId: tenant_id, id: 3 });
    expect(await codeOf(verifyProof({ ...(await proveEntry(log, 2)), proof }, log.policy))).toBe(
      'proof_chain',
    );
  });

  test('a date that no calendar has, although it is the same moment for `Date.parse`', async () => {
    const log = witnessedLog(2);
    log.time = Date.parse('2026-10-01T00:00:00Z');
    log.append(1);
    log.moment();
    const proof = await proveEntry(log, 3);
    const entry = { ...proof.entry, created_at: '2026-09-31T00:00:00.000Z' };
    expect(Date.parse(entry.created_at)).toBe(log.time);
    expect(await codeOf(verifyProof({ ...proof, entry }, log.policy))).toBe('proof_chain');
  });

  test('a proof that claims to be older than its moment', async () => {
    const log = witnessedLog(5);
    log.moment({ claims: { time: Date.now() - 86_400_000 } });
    expect(await codeOf(verifyProof(await proveEntry(log, 3), log.policy))).toBe('proof_inclusion');
  });

  test('a cosignature that was made earlier, over an earlier checkpoint', async () => {
    const log = witnessedLog(5);
    const early = log.moment({ signers: { north: 1_700_000_000, south: 1_700_000_000 } });
    log.append(1);
    const late = log.moment();
    const lines = (proof: string) => proof.split('\n').filter((line) => /^— (north|south)/.test(line));
    const proof = lines(late).reduce((text, line, at) => text.replace(line, lines(early)[at] ?? ''), late);
    expect(proof).not.toBe(late);
    expect(await codeOf(verifyProof({ ...(await proveEntry(log, 6)), proof }, log.policy))).toBe(
      'proof_signature',
    );
  });
});
