import { parseNote, parsePolicy } from '@eaas/protocol/internal-log';
import { alone } from '@eaas/test-kit/alone';
import { startWitness } from '@eaas/test-kit/witness';
import { settle } from '@eaas/test-kit/world';
import { expect, test } from 'vitest';
import { logStatus } from '../src/keys.ts';
import { witnessContext } from '../src/witness-context.ts';
import { askWitnesses } from '../src/witnesses.ts';
import { act, ownLog } from './own-log.ts';

test('two replicas that ask at the same time leave one cosignature of each witness', async () => {
  const log = await ownLog();
  const witnesses = await Promise.all([startWitness('ann'), startWitness('ben')]);
  const tenant = await settle(log.service, 'acme');
  const { policy_line } = await logStatus(log.service);
  const lines = witnesses.map(({ name, vkey, url }) => `witness ${name} ${vkey} ${url}`);
  const policy = parsePolicy([policy_line, ...lines, 'group both all ann ben', 'quorum both'].join('\n'));
  const ask = async (replica = log.context): Promise<void> => {
    const context = await witnessContext(replica, { policy, monitors: new Map() }, alone());
    if (context) await askWitnesses(context);
  };
  const other = log.processOf(log.world.replica());
  for (let moments = 0; moments < 5; moments++) {
    await act(log.service, tenant);
    await log.later();
    await Promise.all([ask(), ask(other)]);
    const newest = await log.newest();
    expect(newest).toMatchObject({ index: moments, witnessed: true });
    const signers = parseNote(newest?.note ?? '')?.signatures.map(({ name }) => name);
    expect(signers?.toSorted()).toEqual(['ann', 'ben', 'eaas.example/log']);
  }
  expect(witnesses[0]?.asked.length).toBeGreaterThan(5);
  expect(await logStatus(log.service)).toMatchObject({ size: 5, witnessed_size: 5, halted: null });
});
