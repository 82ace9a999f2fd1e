import { randomBytes } from 'node:crypto';
import { formatApiKey } from '@eaas/protocol/wire';
import { type Answer, send } from '@eaas/test-kit/faults/client';
import { longest, newDek, succeeded, tally } from '@eaas/test-kit/faults/load';
import { Cluster } from '../machine/cluster.ts';
import type { Trial } from '../trial.ts';
import { recovers } from './recovers.ts';
import { UnderLoad } from './under-load.ts';

const readsOf = (keyId: string): readonly string[] => [
  '/v1/keys',
  `/v1/keys/${keyId}`,
  `/v1/keys/${keyId}/public-key`,
  '/v1/audit',
  '/v1/audit/checkpoint',
  '/v1/usage',
  '/v1/api-keys',
];

const changesOf = (keyId: string): readonly (readonly [path: string, body: object])[] => [
  [`/v1/keys/${keyId}/wrap`, { dek: newDek() }],
  [`/v1/keys/${keyId}/rotate`, {}],
  ['/v1/keys', { name: `another ${newDek()}` }],
  ['/v1/api-keys', { name: 'another', permissions: ['encrypt'] }],
];

/** Sends calls of every kind at once, while the database does not respond. */
async function callsTo({ loaded, replicas }: UnderLoad) {
  const each = loaded.flatMap(({ tenant, keyId }) => replicas.map((place) => ({ tenant, keyId, place })));
  const all = (calls: readonly Promise<Answer>[]): Promise<readonly Answer[]> => Promise.all(calls);
  const [reads, changes, hashes, strangers] = await Promise.all([
    all(
      each.flatMap(({ tenant, keyId, place }) =>
        [...readsOf(keyId), ...readsOf(keyId)].map((path) => send(place, tenant.token, 'GET', path)),
      ),
    ),
    all(
      each.flatMap(({ tenant, keyId, place }) =>
        changesOf(keyId).map(([path, body]) => send(place, tenant.token, 'POST', path, body)),
      ),
    ),
    all(
      each.map(({ tenant, keyId, place }) =>
        send(place, tenant.token, 'POST', '/v1/hash', { key_id: keyId, value: 'x' }),
      ),
    ),
    all(replicas.map((place) => send(place, formatApiKey(randomBytes(32)), 'GET', '/v1/keys'))),
  ]);
  return { reads, changes, hashes, strangers };
}

/** If only the processes of open connections are frozen, calls on new connections can succeed. */
export const frozen: Trial = {
  name: 'frozen',
  about: 'calls of every kind are sent while the database does not respond',
  limit: 180,
  async run(findings) {
    const cluster = await Cluster.create(findings);
    const bench = await UnderLoad.start(findings, cluster);
    for (const role of [undefined, 'eaas_server']) {
      const what = role === undefined ? 'database frozen' : 'backends frozen';
      findings.try(what);
      await cluster.freeze(role);
      const { reads, changes, hashes, strangers } = await callsTo(bench);
      cluster.thaw();
      const answers = [...reads, ...changes, ...hashes, ...strangers];
      findings.answer(tally(answers));
      const slowest = Math.round(longest([...reads, ...changes, ...hashes]));
      const waited = Math.round(longest(strangers));
      findings.check('no call waits longer than 5 s for a frozen database', slowest < 5_000, `${slowest} ms`);
      findings.check('no call with an unknown API key waits longer than 3 s', waited < 3_200, `${waited} ms`);
      const unwritten = new Set(changes);
      const wrong = answers.filter(
        (answer) =>
          !(role !== undefined && succeeded(answer)) &&
          answer.code !== 'unavailable' &&
          !(unwritten.has(answer) && answer.code === 'audit_unwritten') &&
          !(role !== undefined && answer.status === 401),
      );
      findings.check('a call that cannot reach the database is refused', wrong.length === 0, tally(wrong));
      await recovers(findings, bench, what);
    }
    await bench.judge();
    for (const replica of bench.replicas) replica.signal('SIGTERM');
    const ends = await Promise.all(bench.replicas.map(({ ended }) => ended));
    const stopped = ends.every(({ code }) => code === 0);
    findings.check('a server that survived stops on SIGTERM', stopped, ends);
  },
};
