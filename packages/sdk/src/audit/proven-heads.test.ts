import { InputError } from '@eaas/protocol';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { auditor } from '../../test/auditor.ts';
import { signersOf } from '@eaas/test-kit/made-up-log';
import { playLog } from '../../test/played-log.ts';
import { type WitnessedLog, witnessedLog } from '../../test/witnessed-log.ts';
import { LogProofError } from './proof.ts';

afterEach(() => void vi.useRealTimers());

/** Changes an entry, and computes every later hash again. */
function rewrite(log: WitnessedLog, id: number): void {
  Object.assign(log.entries[id - 1] as object, { actor: 'nobody' });
  log.rechain();
}

describe('`checkAudit` with a policy, of an honest log,', () => {
  test('reports the newest proof and keeps it with the state', async () => {
    const log = witnessedLog(250);
    const proof = log.moment();
    const audit = auditor(log);
    const { policy } = log;
    const witnessed = { id: 250, witnesses: ['north', 'south'] };
    expect(await audit.check({ policy })).toMatchObject({ ok: true, findings: [], proof: witnessed });
    expect(audit.saved?.witnessed).toMatchObject({ id: 250, hash: log.entries.at(-1)?.hash, proof });
    log.append(20);
    expect(await audit.check({ policy })).toMatchObject({ ok: true, checked: 20, proof: witnessed });
    const later = log.moment();
    expect(await audit.check({ policy })).toMatchObject({ ok: true, proof: { id: 270 } });
    expect(audit.saved?.witnessed).toMatchObject({ id: 270, proof: later });
    expect(await audit.check({ policy, full: true })).toMatchObject({ ok: true, checked: 270 });
    expect(await audit.check()).toMatchObject({ ok: true, proof: null });
    expect(audit.saved?.witnessed).toMatchObject({ id: 270, proof: later });
  });

  test('shows no entry again for a proof of an entry that was read before', async () => {
    const log = witnessedLog(250);
    const audit = auditor(log);
    const seen: number[] = [];
    const onEntry = ({ id }: { readonly id: number }) => void seen.push(id);
    await audit.check({ onEntry });
    log.moment();
    log.append(10);
    const { policy } = log;
    expect(await audit.check({ policy, onEntry })).toMatchObject({ ok: true, proof: { id: 250 } });
    expect(seen).toEqual(Array.from({ length: 260 }, (_, nth) => nth + 1));
    expect(audit.saved).toMatchObject({ read: { id: 260 }, witnessed: { id: 250 } });
  });

  test('never saves a state that has read less than the one before', async () => {
    const log = witnessedLog(100);
    const proof = log.moment();
    log.append(150);
    const audit = auditor(log);
    await audit.check();
    const read: (number | undefined)[] = [];
    const onProgress = () => void read.push(audit.saved?.read.id);
    log.append(200);
    const { policy } = log;
    const proofs = [proof];
    expect(await audit.check({ policy, proofs, saveEvery: 50, onProgress })).toMatchObject({ ok: true });
    expect(read.length).toBeGreaterThan(3);
    expect(read.filter((id = 0) => id < 250)).toEqual([]);
  });

  test('reads the state of a release without proofs', async () => {
    const log = witnessedLog(250);
    const audit = auditor(log);
    await audit.check();
    expect(audit.saved).not.toHaveProperty('witnessed');
    log.append(1);
    log.moment();
    expect(await audit.check({ policy: log.policy })).toMatchObject({
      ok: true,
      checked: 1,
      proof: { id: 251 },
    });
  });

  test('finds nothing if the public log is off, or has no moment yet', async () => {
    const log = witnessedLog(5);
    const audit = auditor(log);
    expect(await audit.check({ policy: log.policy })).toMatchObject({ ok: true, proof: null });
    expect(audit.saved).toMatchObject({ read: { id: 5 } });
  });

  test('goes on if proven entries were purged', async () => {
    const log = witnessedLog(250);
    const kept = log.moment();
    log.append(50);
    log.moment();
    log.purge(280);
    const audit = auditor(log);
    expect(await audit.check({ policy: log.policy, proofs: [kept] })).toMatchObject({
      ok: true,
      checked: 20,
    });
  });
});

describe('a database that was restored to an older copy and continued', () => {
  /** Everything was witnessed at entry 250, the copy has 200 entries, and the log goes on from there. */
  function restored(length: number) {
    const log = witnessedLog(200);
    const audit = auditor(log);
    const take = async () => audit.check({ policy: log.policy });
    const proofs = () => {
      log.append(50);
      return log.moment();
    };
    const restore = () => {
      log.entries.splice(200);
      log.time += 3_600_000;
      log.append(length - 200, 'decrypt');
    };
    return { log, audit, take, proofs, restore };
  }

  test.each([220, 250, 300])(
    'is found by the next check, at length %i, if the service still has the proof',
    async (length) => {
      const { log, audit, take, proofs, restore } = restored(length);
      await take();
      const before = audit.saved;
      proofs();
      restore();
      expect(await auditor(log).check()).toMatchObject({ ok: true });
      for (const _ of [1, 2])
        expect(await audit.check({ policy: log.policy })).toMatchObject({
          ok: false,
          findings: [{ code: 'proof_mismatch', id: 250 }],
          state: before,
        });
    },
  );

  test.each([220, 250, 300])('is found by a kept proof, at length %i, without a state', async (length) => {
    const { log, proofs, restore } = restored(length);
    const kept = proofs();
    log.proofs.length = 0;
    restore();
    if (length > 220) log.moment();
    const { policy } = log;
    expect(await auditor(log).check({ policy })).toMatchObject({ ok: true });
    const report = await auditor(log).check({ policy, proofs: [kept] });
    expect(report.findings).toMatchObject([{ code: 'proof_mismatch', id: 250 }]);
  });

  test('is found by the proof in the state, and the state stays', async () => {
    const { log, audit, take, proofs, restore } = restored(220);
    proofs();
    await take();
    const before = audit.saved;
    log.proofs.length = 0;
    restore();
    for (const _ of [1, 2]) {
      const { findings, state } = await audit.check({ policy: log.policy });
      expect(findings.map(({ code }) => code)).toContain('rollback');
      expect(state).toEqual(before);
    }
  });
});

describe('the last hour of a tenant, rewritten with recomputed chain, head and moment,', () => {
  /** The operator has the keys of the log and of the checkpoints, and even honest witnesses sign the new moment. */
  async function rewritten() {
    const log = witnessedLog(200);
    const audit = auditor(log);
    log.moment();
    await audit.check({ policy: log.policy });
    log.append(50);
    const kept = log.moment();
    log.proofs.pop();
    rewrite(log, 230);
    log.append(10);
    log.moment();
    return { log, audit, kept };
  }

  test('is found by a kept proof', async () => {
    const { log, audit, kept } = await rewritten();
    const { policy } = log;
    const before = audit.saved;
    const { findings, state } = await audit.check({ policy, proofs: [kept] });
    expect(findings).toEqual([
      {
        code: 'proof_mismatch',
        id: 250,
        message: expect.stringMatching(
          /^entry 250 has the hash \w{64}, but the public log had a head with/,
        ) as string,
      },
    ]);
    expect(state).toEqual(before);
    expect(await audit.check({ policy })).toMatchObject({ ok: true });
    expect((await audit.check({ policy, proofs: [kept] })).findings).toMatchObject([
      { code: 'proof_mismatch', id: 250 },
    ]);
  });

  test('is found even if the service shows the proven hash for the one entry that is compared', async () => {
    const { log, audit, kept } = await rewritten();
    const { policy } = log;
    await audit.check({ policy });
    const hash = /"hash":"(\w{64})"/.exec(
      Buffer.from(kept.split('\n')[1]?.slice(6) ?? '', 'base64').toString(),
    )?.[1];
    log.pages = (page) => ({
      ...page,
      logs: page.logs.map((entry) => (entry.id === 250 ? { ...entry, hash: hash ?? '' } : entry)),
    });
    const { findings } = await audit.check({ policy, proofs: [kept] });
    expect(findings).toMatchObject([
      { code: 'entry_altered', id: 250 },
      { code: 'entry_altered', id: 251 },
    ]);
  });
});

describe('the newest proof', () => {
  const check = async (log: WitnessedLog) => {
    const audit = auditor(log);
    return { audit, report: await audit.check({ policy: log.policy }) };
  };

  test('of another tenant is a finding', async () => {
    const [log, other] = [witnessedLog(5), '00000000-0000-4000-8000-000000000002'];
    log.moment();
    log.proofs.push({ id: 5, proof: log.publicLog.prove(other, 0) });
    const { report } = await check(log);
    expect(report.findings).toMatchObject([
      { code: 'proof_invalid', id: null, message: `a proof is of the tenant ${other}` },
    ]);
  });

  test.each<[string, Parameters<WitnessedLog['moment']>[0], string]>([
    ['that claims to be older than it is', { claims: { time: 1_700_000_000_000 } }, 'its paths do not lead'],
    ['that claims another entry', { claims: { id: 4 } }, 'its paths do not lead'],
  ])('%s is a finding', async (_, options, message) => {
    const log = witnessedLog(5);
    log.moment(options);
    const { audit, report } = await check(log);
    const found = expect.stringContaining(message) as string;
    expect(report.findings).toEqual([{ code: 'proof_invalid', id: null, message: found }]);
    expect(audit.saved).toBeUndefined();
  });

  test('of another log is a finding', async () => {
    const [log, other] = [witnessedLog(5), witnessedLog(5, signersOf())];
    log.moment();
    const { policy } = other;
    expect((await auditor(log).check({ policy })).findings).toMatchObject([{ code: 'proof_invalid' }]);
  });

  test('with too few witnesses is a finding only ten minutes after its moment, and the entries stay verified', async () => {
    const log = witnessedLog(5);
    log.moment({ signers: { north: 1_900_000_000 } });
    const { audit, report } = await check(log);
    expect(report).toMatchObject({ ok: true, proof: null });
    vi.useFakeTimers({ now: Date.now() + 11 * 60_000, toFake: ['Date'] });
    log.append(3);
    expect((await audit.check({ policy: log.policy })).findings).toMatchObject([
      { code: 'proof_unwitnessed', id: null },
    ]);
    expect(audit.saved).toMatchObject({ verified: { id: 8 } });
    expect(audit.saved?.witnessed).toBeUndefined();
  });

  test('that is gone is a finding as soon as the log has grown', async () => {
    const log = witnessedLog(5);
    log.moment();
    const { audit } = await check(log);
    log.proofs.length = 0;
    expect(await audit.check({ policy: log.policy })).toMatchObject({ ok: true, proof: null });
    log.append(1);
    for (const _ of [1, 2])
      expect((await audit.check({ policy: log.policy })).findings).toMatchObject([{ code: 'proof_missing' }]);
    expect(audit.saved).toMatchObject({ verified: { id: 6 }, witnessed: { id: 5 } });
  });

  test('is not asked for without a policy', async () => {
    const log = witnessedLog(5);
    log.moment();
    await auditor(log).check();
    expect(log.calls['GET /v1/audit/proof']).toBeUndefined();
  });
});

test('`checkAudit` throws for a kept proof that is not valid, and for `proofs` without a policy', async () => {
  const log = witnessedLog(5);
  const proof = log.moment({ signers: {} });
  const audit = auditor(log);
  await expect(audit.check({ policy: log.policy, proofs: [proof] })).rejects.toThrow(LogProofError);
  await expect(audit.check({ proofs: [proof] })).rejects.toThrow(InputError);
  await expect(audit.check({ policy: 'quorum none\n' })).rejects.toThrow(InputError);
  await expect(audit.check({ policy: 'x' })).rejects.toThrow('line 1 of the policy is not valid');
  const played = playLog(5).audit;
  const without = auditor({
    audit: {
      page: (...args) => played.page(...args),
      verify: (...args) => played.verify(...args),
      checkpoint: (...args) => played.checkpoint(...args),
    },
  });
  await expect(without.check({ policy: log.policy })).rejects.toThrow('an object with `proof`');
});

test('`checkAudit` throws for a saved proof without its head', async () => {
  const log = witnessedLog(5);
  const audit = auditor(log);
  await audit.check();
  const store = { load: () => ({ ...audit.saved, witnessed: { proof: 'x' } }), save: () => {} };
  await expect(audit.check({ store })).rejects.toThrow(InputError);
});
