import { setTimeout as sleep } from 'node:timers/promises';
import { call, type Place, send } from '@eaas/test-kit/faults/client';
import { Load, succeeded, tally, unrecorded } from '@eaas/test-kit/faults/load';
import { newKey, operate, readLog, verify } from '@eaas/test-kit/faults/place';
import { Cluster } from '../machine/cluster.ts';
import { metric, startServer } from '../machine/server.ts';
import { Switch } from '../machine/switch.ts';
import type { Findings, Trial } from '../trial.ts';

export const lossUnderLoad: Trial = {
  name: 'asynchronous-load',
  about: 'the primary is killed under load while the standby is 1.5 s behind',
  limit: 120,
  async run(findings) {
    const primary = await Cluster.create(findings);
    const road = await Switch.open(findings, primary);
    const operator = await operate(road.url);
    const tenant = await operator.newTenant();
    await operator.close();
    const replicas = [await startServer(findings, operator.env), await startServer(findings, operator.env)];
    const [first = { port: 0 }, second = { port: 0 }] = replicas;
    const keyId = await newKey(first, tenant.token);
    const load = new Load({
      places: replicas,
      token: tenant.token,
      keyId,
      workers: 3,
      rest: 10,
      changes: true,
    });
    findings.defer(() => load.stop());
    const standby = await primary.standby(findings);
    await sleep(1_000);
    await primary.cutOff(standby);
    await sleep(1_500);
    const { checkpoint } = await call<{ checkpoint: string }>(
      first,
      tenant.token,
      'GET',
      '/v1/audit/checkpoint',
    );
    road.cut('closed');
    await primary.kill();
    await standby.promote();
    road.lead(standby);
    const switchedAt = performance.now();
    findings.try('primary killed 1.5 s ahead of its standby');
    await sleep(6_000);

    const sent = await load.stop();
    findings.answer(tally(sent));
    const later = sent.filter(({ sentAt }) => sentAt > switchedAt);
    findings.check(
      'the servers serve requests after the promotion of the standby',
      later.filter(succeeded).length > 50,
      tally(later),
    );
    const log = await readLog(second, tenant);
    findings.figure('entries lost with the primary', unrecorded(sent, log).length);
    const missing = unrecorded(later, log);
    findings.lose(missing.length);
    findings.check(
      'the audit log has the entries of every successful request after the promotion',
      missing.length === 0,
      missing.slice(0, 5),
    );
    await opensElsewhere(findings, later, replicas, tenant.token, keyId);
    const { valid } = await verify(first, tenant);
    findings.check('the audit chain is valid', valid === true);
    const kept = await send(
      second,
      tenant.token,
      'GET',
      `/v1/audit/verify?checkpoint=${encodeURIComponent(checkpoint)}`,
    );
    findings.check(
      'verification against a checkpoint from before the promotion finds the loss',
      kept.body['valid'] === false,
      kept.body,
    );
    for (const replica of replicas) {
      const wentBack = await metric(replica, 'eaas_audit_head_went_back_total');
      findings.check('each server that saw the lost entries counts the loss', wentBack >= 1, `${wentBack}`);
    }
  },
};

async function opensElsewhere(
  findings: Findings,
  later: Load['sent'],
  replicas: readonly Place[],
  token: string,
  keyId: string,
): Promise<void> {
  const wraps = later.filter(
    (sent) => sent.action === 'key.wrap' && succeeded(sent) && sent.body['wrapped_key'],
  );
  let closed = 0;
  for (const { place, body, entries } of wraps.slice(0, 200)) {
    const other = replicas.find(({ port }) => port !== place.port) ?? place;
    const n = entries[0]?.split(' ').at(-1);
    const unwrapped = await send(other, token, 'POST', `/v1/keys/${keyId}/unwrap`, {
      wrapped_key: body['wrapped_key'],
      context: { n },
    });
    if (unwrapped.status !== 200) closed++;
  }
  findings.lose(closed);
  findings.check(
    'every data key wrapped after the promotion can be unwrapped on the other server',
    closed === 0,
    closed,
  );
}
