import { root } from '@eaas/test-kit/markdown';
import { startOf } from '../../bench/client-start.ts';
import { built } from '../../bench/earlier.ts';
import { inTurns } from '../../bench/in-turns.ts';
import type { Findings, Part } from '../trial.ts';

const alone = `const sdk = await import('@eaas/sdk/fields');`;
/** Its key is a function, as our pages say, so that nobody waits for it before the first older value. */
const schema = `
  const { joined, keyFromScrypt } = await import('@eaas/migrate/formats');
  const older = joined({ key: () => keyFromScrypt('a passphrase', 'salt'), parts: ['iv', 'ciphertext'], encoding: 'hex' });
  sdk.defineFields({ members: { email: sdk.field.text({ previous: sdk.plaintext(older) }) } });`;

async function run(findings: Findings): Promise<void> {
  await built(root, (close) => findings.defer(close));
  const cpuOf = (code: string) => async () => (await startOf(root, code)) / 1_000;
  const { ours, reference } = await inTurns(cpuOf(alone + schema), cpuOf(alone), { rounds: 15, warmUps: 2 });
  findings.figure('CPU', `${reference.toFixed(1)} ms of Eaas alone, ${ours.toFixed(1)} ms with the schema`);
  findings.check('the schema adds at most 20 ms', ours - reference <= 20, `${ours - reference} ms`);
}

export const start: Part = {
  name: 'start',
  about: 'the CPU time of the start of an app',
  trials: [{ name: 'scrypt', about: 'what older values by scrypt add to the import', limit: 300, run }],
};
