import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '@eaas/test-kit/faults/client';
import { newDek } from '@eaas/test-kit/faults/load';
import { newKey, operate } from '@eaas/test-kit/faults/place';
import { Cluster } from '../../machine/cluster.ts';
import { startServer } from '../../machine/server.ts';
import { scaled, type Trial } from '../../trial.ts';
import { largestApiKey, manyTimes } from './world.ts';

export const memory: Trial = {
  name: 'memory',
  about: 'one tenant makes and revokes 10,000 of the largest API keys, on a replica whose heap has 256 MB',
  limit: 1_800,
  async run(findings) {
    const cluster = await Cluster.create(findings, { fsync: 'off', synchronous_commit: 'off' });
    const operator = await operate(cluster.url);
    findings.defer(() => operator.close());
    const env = { ...operator.env, NODE_OPTIONS: '--max-old-space-size=256' };
    const server = await startServer(findings, env);
    const { token } = await operator.newTenant();
    const keyIds: string[] = [];
    await manyTimes(256, 8, async () => void keyIds.push(await newKey(server, token)));
    const end = new AbortController();
    const others = Array.from({ length: 10 }, async () => {
      const other = await operator.newTenant();
      const path = `/v1/keys/${await newKey(server, other.token)}/wrap`;
      while (!end.signal.aborted) {
        const { status, code } = await send(server, other.token, 'POST', path, { dek: newDek() });
        findings.answer({ [status]: 1 });
        findings.check('every other tenant is answered', status === 200, `${status} ${code}`);
        await sleep(100);
      }
    });
    await manyTimes(scaled(10_000), 8, async () => {
      const { body } = await send(server, token, 'POST', '/v1/api-keys', largestApiKey(keyIds));
      const { status } = await send(server, token, 'DELETE', `/v1/api-keys/${String(body['api_key_id'])}`);
      findings.try(`API key, revoked: ${status}`);
    });
    end.abort();
    await Promise.all(others);
    const log = server.log().slice(-300);
    findings.check('no server process ends unexpectedly', server.end() === undefined, log);
  },
};
