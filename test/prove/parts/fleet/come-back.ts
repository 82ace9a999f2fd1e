import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '@eaas/test-kit/faults/client';
import { succeeded, tally } from '@eaas/test-kit/faults/load';
import type { Tenant } from '@eaas/test-kit/faults/place';
import { holdsWithin } from '../../machine/until.ts';
import type { Findings } from '../../trial.ts';
import type { Servers } from './servers.ts';

export async function comeBack(
  findings: Findings,
  servers: Servers,
  tenant: Tenant | undefined,
): Promise<void> {
  const startedAt = performance.now();
  const isReady = async (port: number): Promise<boolean> => succeeded(await servers.balancer.check(port));
  const ready = await Promise.all(servers.ports.map((port) => holdsWithin(15, () => isReady(port))));
  findings.figure('all ready after', `${Math.round(performance.now() - startedAt)} ms`);
  findings.check('every server is ready again within 15000 ms', ready.every(Boolean), ready);
  await sleep(3_000);
  const calm = await Promise.all(
    servers.ports.map((port) => send({ port }, tenant?.token ?? '', 'GET', '/v1/keys')),
  );
  findings.check('when all servers serve again, every request succeeds', calm.every(succeeded), tally(calm));
}
