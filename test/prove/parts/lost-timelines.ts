import { setTimeout as sleep } from 'node:timers/promises';
import { call, type Place, send } from '@eaas/test-kit/faults/client';
import { newDek } from '@eaas/test-kit/faults/load';
import { newKey, operate, type Tenant, verify } from '@eaas/test-kit/faults/place';
import { Cluster } from '../machine/cluster.ts';
import { metric, startServer } from '../machine/server.ts';
import { Switch } from '../machine/switch.ts';
import type { Findings, Trial } from '../trial.ts';

/** The database loses a change that the server `stale` has cached. Then the server `fresh` makes another change. */
interface Timeline {
  readonly tenant: Tenant;
  readonly keyId: string;
  readonly unseen: string;
  readonly known: { readonly api_key: string; readonly api_key_id: string };
  readonly lost: 'rotate' | 'create';
  readonly road: keyof typeof roads;
  readonly further: number;
}

const roads = {
  'look-up': (place: Place, { unseen }: Timeline) => send(place, unseen, 'GET', '/v1/keys'),
  append: (place: Place, { keyId, tenant }: Timeline) => wrap(place, tenant.token, keyId, newDek()),
  read: (place: Place, { keyId, tenant }: Timeline) =>
    send(place, tenant.token, 'POST', '/v1/hash', { key_id: keyId, value: 'x' }),
  change: (place: Place, { tenant }: Timeline) =>
    send(place, tenant.token, 'POST', '/v1/keys', { name: `first ${Math.random()}` }),
} as const;

const wrap = (place: Place, token: string, keyId: string, dek: string) =>
  send(place, token, 'POST', `/v1/keys/${keyId}/wrap`, { dek });

export const lostTimelines: Trial = {
  name: 'asynchronous-state',
  about: 'the lost change and the next one get the same number; a server that remembers the lost one goes on',
  limit: 180,
  async run(findings) {
    const primary = await Cluster.create(findings);
    const road = await Switch.open(findings, primary);
    const operator = await operate(road.url);
    const combinations = (Object.keys(roads) as Timeline['road'][]).flatMap((name) =>
      (['rotate', 'create'] as const).flatMap((lost) =>
        [0, 2, 5].map((further) => ({ road: name, lost, further })),
      ),
    );
    const tenants: Tenant[] = [];
    for (let nth = 0; nth <= combinations.length; nth++) tenants.push(await operator.newTenant());
    await operator.close();
    const stale = await startServer(findings, operator.env);
    const fresh = await startServer(findings, operator.env);
    const calm = tenants.pop();
    if (!calm) return;
    const timelines: Timeline[] = [];
    for (const [nth, combination] of combinations.entries()) {
      const tenant = tenants[nth];
      if (tenant) timelines.push({ ...combination, ...(await prepare(stale, fresh, tenant)) });
    }
    await send(stale, calm.token, 'GET', '/v1/keys');

    const standby = await primary.standby(findings);
    await primary.cutOff(standby);
    for (const timeline of timelines) await loseChange(stale, timeline);
    road.cut('closed');
    await primary.kill();
    await standby.promote();
    road.lead(standby);
    for (const place of [stale, fresh]) await serves(place, calm.token);

    for (const timeline of timelines) {
      await replaceChange(fresh, timeline);
      await meet(findings, { stale, fresh, timeline });
    }
    const counted = await metric(stale, 'eaas_audit_head_went_back_total');
    findings.figure('losses counted', `${counted} of ${timelines.length}`);
    findings.check(
      'eaas_audit_head_went_back_total counts the loss of every tenant',
      counted >= timelines.length,
      `${counted} of ${timelines.length}`,
    );
  },
};

async function prepare(
  stale: Place,
  fresh: Place,
  tenant: Tenant,
): Promise<Pick<Timeline, 'tenant' | 'keyId' | 'unseen' | 'known'>> {
  const keyId = await newKey(fresh, tenant.token);
  const create = (name: string) =>
    call<Timeline['known']>(fresh, tenant.token, 'POST', '/v1/api-keys', {
      name,
      permissions: ['encrypt', 'decrypt', 'keys.read'],
    });
  const unseen = (await create('unseen')).api_key;
  const known = await create('known');
  for (const token of [tenant.token, known.api_key]) await wrap(stale, token, keyId, newDek());
  return { tenant, keyId, unseen, known };
}

async function loseChange(stale: Place, { tenant, keyId, known, lost }: Timeline): Promise<void> {
  if (lost === 'rotate') await call(stale, tenant.token, 'POST', `/v1/keys/${keyId}/rotate`);
  else await newKey(stale, tenant.token);
  for (const token of [tenant.token, known.api_key]) await wrap(stale, token, keyId, newDek());
}

async function serves(place: Place, token: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => send(place, token, 'POST', '/v1/api-keys', {})),
    );
    const lists = await send(place, token, 'GET', '/v1/audit');
    if (answers.every(({ status }) => status === 400) && lists.status === 200) return;
    await sleep(50);
  }
}

async function replaceChange(fresh: Place, { tenant, keyId, known, lost, further }: Timeline): Promise<void> {
  if (lost === 'rotate') await newKey(fresh, tenant.token);
  else await call(fresh, tenant.token, 'DELETE', `/v1/api-keys/${known.api_key_id}`);
  for (let nth = 0; nth < further; nth++) await wrap(fresh, tenant.token, keyId, newDek());
}

interface Meeting {
  readonly stale: Place;
  readonly fresh: Place;
  readonly timeline: Timeline;
}

async function meet(findings: Findings, { stale, fresh, timeline }: Meeting): Promise<void> {
  const { tenant, keyId, known, lost, road, further } = timeline;
  const which = `${lost} lost, ${road} first, ${further} further`;
  findings.try(`${lost} lost, then ${road}`);
  await roads[road](stale, timeline);
  for (let nth = 0; nth < 3; nth++) {
    const dek = newDek();
    const wrapped = await wrap(stale, tenant.token, keyId, dek);
    findings.answer({ [`wrap ${wrapped.status}`]: 1 });
    findings.check('a server serves the tenant after the failover', wrapped.status === 200, which);
    if (wrapped.status !== 200) continue;
    const body = { wrapped_key: wrapped.body['wrapped_key'] };
    const opened = await send(fresh, tenant.token, 'POST', `/v1/keys/${keyId}/unwrap`, body);
    const same = opened.status === 200 && opened.body['dek'] === dek;
    findings.lose(same ? 0 : 1);
    findings.check(
      'a data key that one server wraps can be unwrapped on another',
      same,
      `${which}: ${opened.status}`,
    );
  }
  if (lost === 'create') {
    const revoked = await wrap(stale, known.api_key, keyId, newDek());
    findings.answer({ [`revoked ${revoked.status}`]: 1 });
    findings.check('a revoked API key is refused', revoked.status === 401, `${which}: ${revoked.status}`);
  }
  const { valid } = await verify(fresh, tenant);
  findings.check('the audit chain is valid', valid === true, which);
}
