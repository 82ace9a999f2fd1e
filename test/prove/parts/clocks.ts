// The clock of the database steps a year, and back. While the replicas' own clocks disagree with it, they erase nothing; the
// tests of the jobs show the same of a replica whose clock is wrong.
import { setTimeout as sleep } from 'node:timers/promises';
import { call, send } from '@eaas/test-kit/faults/client';
import { newDek } from '@eaas/test-kit/faults/load';
import { connectTo, newKey, operate, readLog, verify } from '@eaas/test-kit/faults/place';
import { startPostgres, stepClock } from '../machine/postgres.ts';
import { startServer } from '../machine/server.ts';
import type { Part, Trial } from '../trial.ts';

const day = 86_400_000;
/** Within these milliseconds, the job that rotates and erases keys runs at least once. */
const longEnough = 13_000;

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
      const env = { ...operator.env, EAAS_AUDIT_RETENTION_MONTHS: '1' };
      const servers = [await startServer(findings, env), await startServer(findings, env)];
      const [place = { port: 0 }] = servers;
      const post = <T>(path: string, body: object) => call<T>(place, tenant.token, 'POST', path, body);
      const apiKeyFor = async (milliseconds: number): Promise<string> => {
        const expires_at = new Date(Date.now() + milliseconds).toISOString();
        const permissions = ['encrypt', 'keys.read'];
        return (await post<{ api_key: string }>('/v1/api-keys', { name: 'key', permissions, expires_at }))
          .api_key;
      };
      const [lives, expired] = [await apiKeyFor(90 * day), await apiKeyFor(1_500)];
      const keyId = await newKey(place, tenant.token);
      const { wrapped_key } = await post<{ wrapped_key: string }>(`/v1/keys/${keyId}/wrap`, {
        dek: newDek(),
      });
      await post(`/v1/keys/${keyId}/disable`, {});
      await call(place, tenant.token, 'DELETE', `/v1/keys/${keyId}?grace_days=30`);

      const sql = connectTo(database);
      findings.defer(() => sql.end({ timeout: 1 }));
      await stepClock(sql, days * day);
      findings.try('step of 13 s');
      await sleep(longEnough);
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
      const restored = await send(place, tenant.token, 'POST', `/v1/keys/${keyId}/restore`);
      findings.check('a key is not erased before the end of its grace period', restored.status === 200);
      const opened = await send(place, tenant.token, 'POST', `/v1/keys/${keyId}/unwrap`, { wrapped_key });
      findings.check('a data key that a restored key wrapped can be unwrapped', opened.status === 200);
      findings.lose(opened.status === 200 ? 0 : 1);
      const log = await readLog(place, tenant);
      findings.check('no entry is purged before its time', log[0]?.id === 1, `first ${log[0]?.id}`);
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
  about: 'a clock that is a year off expires, revives, erases and purges nothing',
  trials: [databaseClock('database-ahead', 366), databaseClock('database-behind', -366)],
};
