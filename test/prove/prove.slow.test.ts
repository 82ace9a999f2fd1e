import { runTrial } from './trial.ts';
import { expect, test } from 'vitest';
import { whereAvailable } from '@eaas/test-kit/available';
import { withoutPgbouncer } from './machine/pgbouncer.ts';
import { parts } from './parts.ts';
import { withoutPgDump } from './parts/restore.ts';
import { failures } from './report.ts';

async function failuresOf(name: string): Promise<unknown[]> {
  for (const part of parts) {
    const trial = part.trials.find((one) => `${part.name}:${one.name}` === name);
    if (trial) return failures(await runTrial(part, trial));
  }
  throw new Error(`no trial has the name ${name}`);
}

whereAvailable('PostgreSQL with pg_dump', (await withoutPgDump()) === undefined, () => {
  test('a backup can be restored with the commands in the manual', async () => {
    expect(await failuresOf('restore:drill')).toEqual([]);
  });
});

test.each(['database', 'frozen', 'starved'])('servers survive faults: %s', async (name) => {
  expect(await failuresOf(`faults:${name}`)).toEqual([]);
});

whereAvailable('pgbouncer', (await withoutPgbouncer()) === undefined, () => {
  test('a server that starts while the database behind pgbouncer is away exits with code 3 and one sentence', async () => {
    expect(await failuresOf('pgbouncer:start')).toEqual([]);
  });
});
