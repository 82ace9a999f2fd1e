import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { newToken } from '../../src/state/tokens.ts';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { type Answer, send } from '@eaas/test-kit/faults/client';
import { newDek } from '@eaas/test-kit/faults/load';
import { newKey, operate, startReplica } from '@eaas/test-kit/faults/place';

const postgres = await closing(OwnPostgres.start(), (it) => it.drop());
const operator = await closing(operate(postgres.url), (it) => it.close());
const replica = await closing(startReplica(operator.env), (it) => it.kill());
const tenant = await operator.newTenant();
const keyId = await newKey(replica, tenant.token);
const paths = [
  '/v1/keys',
  `/v1/keys/${keyId}`,
  `/v1/keys/${keyId}/public-key`,
  '/v1/audit',
  '/v1/audit/checkpoint',
  '/v1/usage',
  '/v1/api-keys',
  `/v1/api-keys/${tenant.apiKeyId}`,
];
const settle = async () => {
  const { token } = await operator.newTenant();
  return { token, keyId: await newKey(replica, token) };
};
const others = await Promise.all(Array.from({ length: 12 }, settle));

const get = (path: string, token = tenant.token): Promise<Answer> => send(replica, token, 'GET', path);
const seconds = ({ sentAt, answeredAt }: Answer): number => (answeredAt - sentAt) / 1_000;
const slowest = (answers: readonly Answer[]): number => Math.max(...answers.map(seconds));

describe.each(['all', 'backends'] as const)('frozen processes of PostgreSQL: %s', (which) => {
  // `backends` are the processes of open connections. If only these are frozen, calls on new connections can succeed.
  const allowed = which === 'all' ? ['unavailable'] : ['unavailable', ''];

  beforeEach(async () => {
    for (const path of paths) while ((await get(path)).status !== 200) await sleep(50);
    await postgres.freeze(which);
    return () => postgres.thaw();
  });

  test('while the database is frozen, no read waits longer than 5 s, even if there are many calls', async () => {
    const first = await Promise.all(paths.map((path) => get(path)));
    expect(slowest(first)).toBeLessThan(5);
    const many = await Promise.all(
      Array.from({ length: 4 }, () => paths).flatMap((all) => all.map((path) => get(path))),
    );
    expect(slowest(many)).toBeLessThan(5);
    expect([...first, ...many].filter(({ code }) => !allowed.includes(code))).toEqual([]);
  });

  test('while the database is frozen, no change waits longer than 5 s, even if other tenants send wraps', async () => {
    const post = (token: string, path: string, body: object) => send(replica, token, 'POST', path, body);
    const wraps = others.map(({ token, keyId }) => post(token, `/v1/keys/${keyId}/wrap`, { dek: newDek() }));
    const changes = others.flatMap(({ token, keyId }) => [
      post(token, `/v1/keys/${keyId}/rotate`, {}),
      post(token, '/v1/keys', { name: `another ${Math.random()}` }),
      post(token, '/v1/api-keys', { name: 'another', permissions: ['encrypt'] }),
    ]);
    const answers = await Promise.all([...wraps, ...changes]);
    expect(slowest(answers)).toBeLessThan(5);
    expect(answers.filter(({ code }) => ![...allowed, 'audit_unwritten'].includes(code))).toEqual([]);
  });

  test('no call with an unknown API key waits longer than 3 s for a frozen database', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => get('/v1/keys', newToken().token)));
    expect(slowest(answers)).toBeLessThan(3.2);
  });

  test('no hash call waits longer than 5 s for a frozen database', async () => {
    const [, , keyId] = paths[1]?.slice(1).split('/') ?? [];
    const hash = () => send(replica, tenant.token, 'POST', '/v1/hash', { key_id: keyId, value: 'x' });
    const answers = await Promise.all(Array.from({ length: 20 }, hash));
    expect(slowest(answers)).toBeLessThan(5);
    expect(answers.filter(({ code }) => !allowed.includes(code))).toEqual([]);
  });
});
