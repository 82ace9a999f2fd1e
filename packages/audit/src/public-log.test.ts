import { InputError } from '@eaas/protocol';
import { signersOf } from '@eaas/test-kit/made-up-log';
import { playLog } from '@eaas/test-kit/played-log';
import { type WitnessedLog, witnessedLog } from '@eaas/test-kit/witnessed-log';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { auditor } from '../test/auditor.ts';
import { LogProofError } from './index.ts';

afterEach(() => void vi.useRealTimers());

describe('a round with a policy, of an honest log,', () => {
  test('reports the newest proof and keeps it with the state', async () => {
    const log = witnessedLog(250);
    const proof = log.moment();
    const audit = auditor(log);
    const { policy } = log;
    const witnessed = { id: 250, witnesses: ['north', 'south'] };
    expect(await audit.check({ policy })).toMatchObject({ ok: true, findings: [], proof: witnessed });
    expect(audit.state?.witnessed).toMatchObject({ id: 250, hash: log.entries.at(-1)?.hash, proof });
    log.append(20);
    expect(await audit.check({ policy })).toMatchObject({ ok: true, checked: 20, proof: witnessed });
    const later = log.moment();
    expect(await audit.check({ policy })).toMatchObject({ ok: true, proof: { id: 270 } });
    expect(audit.state?.witnessed).toMatchObject({ id: 270, proof: later });
    expect(await audit.check({ policy, full: true })).toMatchObject({ ok: true, checked: 270 });
    expect(await audit.check()).toMatchObject({ ok: true, proof: null });
    expect(audit.state?.witnessed).toMatchObject({ id: 270, proof: later });
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
    expect(audit.state).toMatchObject({ read: { id: 260 }, witnessed: { id: 250 } });
  });

  test('never shows a state that has read less than the one before', async () => {
    const log = witnessedLog(100);
    const proofs = [log.moment()];
    log.append(2_050);
    const audit = auditor(log);
    await audit.check();
    log.append(2_000);
    const read: (number | undefined)[] = [];
    const { policy } = log;
    const onProgress = ({ state }: { readonly state: typeof audit.state }) => void read.push(state?.read.id);
    expect(await audit.check({ policy, proofs, onProgress })).toMatchObject({ ok: true });
    expect(read).toEqual([2_150, 2_150, 3_098, 4_098]);
  });

  test('goes on if proven entries were purged', async () => {
    const log = witnessedLog(250);
    const proofs = [log.moment()];
    log.append(50);
    log.moment();
    log.purge(280);
    const report = await auditor(log).check({ policy: log.policy, proofs });
    expect(report).toMatchObject({ ok: true, checked: 20 });
  });
});

describe('a database that was restored to an older copy and continued', () => {
  /** Everything was witnessed at entry 250, the copy has 200 entries, and the log goes on from there. */
  function restored(length: number) {
    const log = witnessedLog(200);
    const witness = () => {
      log.append(50);
      return log.moment();
    };
    const restore = () => {
      log.entries.splice(200);
      log.time += 3_600_000;
      log.append(length - 200, 'decrypt');
    };
    return { log, policy: log.policy, audit: auditor(log), witness, restore };
  }
  const findings = [{ code: 'proof_mismatch', id: 250 }];

  test.each([220, 250, 300])('is found at length %i by the proof that the service has', async (length) => {
    const { log, policy, audit, witness, restore } = restored(length);
    await audit.check({ policy });
    const { state } = audit;
    witness();
    restore();
    expect(await auditor(log).check()).toMatchObject({ ok: true });
    for (const _ of [1, 2]) {
      expect(await audit.check({ policy })).toMatchObject({ ok: false, findings, state });
    }
  });

  test.each([220, 250, 300])('is found at length %i by a kept proof, without a state', async (length) => {
    const { log, policy, witness, restore } = restored(length);
    const proofs = [witness()];
    log.proofs.length = 0;
    restore();
    if (length > 220) log.moment();
    expect(await auditor(log).check({ policy })).toMatchObject({ ok: true });
    expect(await auditor(log).check({ policy, proofs })).toMatchObject({ findings });
  });

  test('is found by the proof in the state, and the state stays', async () => {
    const { log, policy, audit, witness, restore } = restored(220);
    witness();
    await audit.check({ policy });
    const { state } = audit;
    log.proofs.length = 0;
    restore();
    for (const _ of [1, 2]) {
      const report = await audit.check({ policy });
      expect(report.findings.map(({ code }) => code)).toEqual([
        'proof_missing',
        'rollback',
        'proof_mismatch',
      ]);
      expect(report.state).toEqual(state);
    }
  });
});

describe('the last hour of a tenant, rewritten with recomputed chain, head and moment,', () => {
  /** The operator has the keys of the log and of the checkpoints, and even honest witnesses sign the new moment. */
  async function rewritten() {
    const log = witnessedLog(200);
    const audit = auditor(log);
    const { policy } = log;
    log.moment();
    await audit.check({ policy });
    log.append(50);
    const proofs = [log.moment()];
    const hash = log.entries.at(-1)?.hash ?? '';
    log.proofs.pop();
    log.rewrite(230);
    log.append(10);
    log.moment();
    return { log, policy, audit, proofs, hash };
  }

  test('is found by a kept proof', async () => {
    const { policy, audit, proofs } = await rewritten();
    const { state } = audit;
    const report = await audit.check({ policy, proofs });
    const says = /^entry 250 has the hash \w{64}, but the public log had a head with/;
    const message = expect.stringMatching(says) as string;
    expect(report.findings).toEqual([{ code: 'proof_mismatch', id: 250, message }]);
    expect(report.state).toEqual(state);
    expect(await audit.check({ policy })).toMatchObject({ ok: true });
    expect((await audit.check({ policy, proofs })).ok).toBe(false);
  });

  test('is found even if the service shows the proven hash for the one entry that is compared', async () => {
    const { log, policy, audit, proofs, hash } = await rewritten();
    await audit.check({ policy });
    const shown = (entry: (typeof log.entries)[number]) => (entry.id === 250 ? { ...entry, hash } : entry);
    log.pages = (page) => ({ ...page, logs: page.logs.map(shown) });
    const findings = [250, 251].map((id) => ({ code: 'entry_changed', id }));
    expect(await audit.check({ policy, proofs })).toMatchObject({ findings });
  });
});

describe('the newest proof', () => {
  const check = async (log: WitnessedLog) => {
    const audit = auditor(log);
    return { audit, report: await audit.check({ policy: log.policy }) };
  };

  const tenant = '00000000-0000-4000-8000-000000000002';
  const foreign = (log: WitnessedLog) => {
    log.moment();
    log.proofs.push({ id: 5, proof: log.publicLog.prove(tenant, 0) });
  };
  test.each<[string, (log: WitnessedLog) => unknown, string]>([
    ['of another tenant', foreign, `a proof is of the tenant ${tenant}`],
    ['that claims to be older', (log) => log.moment({ claims: { time: 1_700_000_000_000 } }), 'do not lead'],
    ['that claims another entry', (log) => log.moment({ claims: { id: 4 } }), 'do not lead'],
    [
      'of another log',
      (log) => (log.moment(), Object.assign(log, witnessedPolicy())),
      'no log of the policy',
    ],
  ])('%s is a finding', async (_, happen, message) => {
    const log = witnessedLog(5);
    happen(log);
    const { audit, report } = await check(log);
    const found = expect.stringContaining(message) as string;
    expect(report.findings).toEqual([{ code: 'proof_invalid', id: null, message: found }]);
    expect(audit.state).toBeNull();
  });
  const witnessedPolicy = () => ({ policy: witnessedLog(5, signersOf()).policy });

  test('with too few witnesses is a finding only ten minutes after its moment, and the entries stay verified', async () => {
    const log = witnessedLog(5);
    log.moment({ signers: { north: 1_900_000_000 } });
    const { audit, report } = await check(log);
    expect(report).toMatchObject({ ok: true, proof: null });
    log.append(3);
    const made = Date.now();
    for (const minutes of [-11, 11]) {
      vi.useFakeTimers({ now: made + minutes * 60_000, toFake: ['Date'] });
      const { findings } = await audit.check({ policy: log.policy });
      expect(findings).toMatchObject([{ code: 'proof_unwitnessed', id: null }]);
    }
    expect(audit.state).toMatchObject({ read: { id: 8 } });
    expect(audit.state?.witnessed).toBeUndefined();
  });

  test('that is gone is a finding as soon as the log has grown', async () => {
    const log = witnessedLog(5);
    log.moment();
    const { audit } = await check(log);
    log.proofs.length = 0;
    const { policy } = log;
    expect(await audit.check({ policy })).toMatchObject({ ok: true, proof: null });
    log.append(1);
    for (const _ of [1, 2]) {
      expect((await audit.check({ policy })).findings).toMatchObject([{ code: 'proof_missing' }]);
    }
    expect(audit.state).toMatchObject({ read: { id: 6 }, witnessed: { id: 5 } });
  });

  test('is not needed if the public log is off, and not asked for without a policy', async () => {
    const log = witnessedLog(5);
    expect((await check(log)).report).toMatchObject({ ok: true, proof: null, state: { read: { id: 5 } } });
    const asked = log.calls['GET /v1/audit/proof'];
    await auditor(log).check();
    expect(log.calls['GET /v1/audit/proof']).toBe(asked);
  });
});

test('a kept proof that is not valid, and proofs without a policy, are refused', async () => {
  const log = witnessedLog(5);
  const proofs = [log.moment({ signers: {} })];
  const { policy } = log;
  const audit = auditor(log);
  await expect(audit.check({ policy, proofs })).rejects.toThrow(LogProofError);
  await expect(audit.check({ proofs })).rejects.toThrow(InputError);
  await expect(audit.check({ policy: 'quorum none\n' })).rejects.toThrow(InputError);
  log.proofs.length = 0;
  await expect(audit.check({ policy: 'x' })).rejects.toThrow('line 1 of the policy is not valid');
  const without = auditor({ audit: { ...playLog(5).audit, proof: undefined as never } });
  await expect(without.check({ policy })).rejects.toThrow('an object with `list`, `proof` and `verify`');
});
