import { parseNote, parsePolicy } from '@eaas/protocol/internal-log';
import { alone } from '@eaas/test-kit/alone';
import { openAttacker } from '@eaas/test-kit/attacker';
import { startWitness, type Witness } from '@eaas/test-kit/witness';
import { settle } from '@eaas/test-kit/world';
import { expect, test } from 'vitest';
import { logStatus } from '../src/keys.ts';
import { witnessContext } from '../src/witness-context.ts';
import { askWitnesses } from '../src/witnesses.ts';
import { act, ownLog } from './own-log.ts';

async function witnessedLog() {
  const log = await ownLog();
  const [ann, ben] = await Promise.all([startWitness('ann'), startWitness('ben')]);
  const tenant = await settle(log.service, 'acme');
  const { policy_line } = await logStatus(log.service);
  const lines = [ann, ben].map(({ name, vkey, url }: Witness) => `witness ${name} ${vkey} ${url}`);
  const policy = parsePolicy([policy_line, ...lines, 'group both all ann ben', 'quorum both'].join('\n'));
  const ask = async (replica = log.context): Promise<void> => {
    const context = await witnessContext(replica, { policy, monitors: new Map() }, alone());
    if (context) await askWitnesses(context);
  };
  const grow = async (): Promise<void> => {
    await act(log.service, tenant);
    await log.later();
  };
  const signers = async () => parseNote((await log.newest())?.note ?? '')?.signatures.map(({ name }) => name);
  return { ...log, ann, ben, tenant, ask, grow, signers };
}

test('two replicas that ask at the same time leave one cosignature of each witness', async () => {
  const log = await witnessedLog();
  const other = log.processOf(log.world.replica());
  for (let moments = 0; moments < 5; moments++) {
    await log.grow();
    await Promise.all([log.ask(), log.ask(other)]);
    expect((await log.signers())?.toSorted()).toEqual(['ann', 'ben', 'eaas.example/log']);
    expect(await log.newest()).toMatchObject({ index: moments, witnessed: true });
  }
  expect(log.ann.asked.length).toBeGreaterThan(5);
  expect(await logStatus(log.service)).toMatchObject({ size: 5, witnessed_size: 5, halted: null });
});

test('a failover that lost the last moment halts the log before it signs another tree', async () => {
  const log = await witnessedLog();
  const attacker = await openAttacker(log.world);
  await log.grow();
  await log.ask();
  await attacker.keep('copy');
  await log.grow();
  await log.ask();
  const lost = await log.newest();
  await attacker.restore('copy');

  const started = log.processOf(log.world.replica());
  await act(log.service, log.tenant);
  await log.ask(started);
  await log.moment(started);
  expect((await log.newest())?.index).toBe(0);
  const { halted } = await logStatus(log.service);
  const [reason, text] = halted?.split('\n\n') ?? [];
  expect(reason).toMatch(
    /^the witness "(ann|ben)" shows a checkpoint of 2 entries with the signature of this log, which now has 1$/,
  );
  expect(lost?.note.startsWith(`${text}\n\n`)).toBe(true);
});
