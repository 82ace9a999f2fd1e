// The clock of the database steps a year, and back. The tests of the jobs due-keys and purge show that nothing is erased
// while the clocks disagree.
import { setTimeout as sleep } from 'node:timers/promises';
import { call, send } from '@eaas/test-kit/faults/client';
import { connectTo, operate, readLog, verify } from '@eaas/test-kit/faults/place';
import { startPostgres, stepClock } from '../machine/postgres.ts';
import { startServer } from '../machine/server.ts';
import type { Part, Trial } from '../trial.ts';

const day = 86_400_000;

function databaseClock(name: string, days: number): Trial {
  return {
    name,
    about: `the clock of the database steps a year ${days > 0 ? 'ahead' : 'back'} for 13 s`,
    limit: 120,
    async run(findings) {
      const database = await startPostgres(findings, false);
      const operator = await operate(database.url);
      const tenant = await operator.newTenant();
      await operator.close();
      const servers = [await startServer(findings, operator.env), await startServer(findings, operator.env)];
      const [place = { port: 0 }] = servers;
      const apiKeyFor = async (milliseconds: number): Promise<string> => {
        const expires_at = new Date(Date.now() + milliseconds).toISOString();
        const body = { name: 'key', permissions: ['encrypt', 'keys.read'], expires_at };
        return (await call<{ api_key: string }>(place, tenant.token, 'POST', '/v1/api-keys', body)).api_key;
      };
      const [lives, expired] = [await apiKeyFor(90 * day), await apiKeyFor(1_500)];

      const sql = connectTo(database);
      findings.defer(() => sql.end({ timeout: 1 }));
      await stepClock(sql, days * day);
      findings.try('step of 13 s');
      await sleep(13_000);
      await stepClock(sql, 0);
      await sleep(7_000);

      for (const server of servers) {
        const [living, over] = [
          await send(server, lives, 'GET', '/v1/keys'),
          await send(server, expired, 'GET', '/v1/keys'),
        ];
        findings.check('every server serves again once the clock is correct', living.status === 200, living);
        findings.check('an expired API key stays expired', over.status === 401, over);
      }
      const log = await readLog(place, tenant);
      const ahead = log.some(({ created_at }) => Date.parse(created_at) > Date.now() + 60_000);
      const { errors } = await verify(place, tenant);
      const reasons = new Set((errors as { reason: string }[]).map(({ reason }) => reason));
      findings.check(
        'verification reports the entries with a time in the future, and nothing else',
        [...reasons].join() === (ahead ? 'entry_in_future' : ''),
        [...reasons],
      );
    },
  };
}

export const clocks: Part = {
  name: 'clocks',
  about: 'a clock that was a year off leaves no API key expired or revived, and is told of in the log',
  trials: [databaseClock('database-ahead', 366), databaseClock('database-behind', -366)],
};
