import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Endpoint, endpoints, type Route } from '@eaas/protocol/wire';
import { serverOperations } from '@eaas/service';
import { ask } from '../test/ask.ts';
import { createTestService, createLocalService } from './index.ts';
import { formatSealed, newSealed } from './sealed.ts';

describe('a local service', () => {
  test('returns the same key for the same name, until the key is destroyed', async () => {
    const service = createLocalService();
    const key = await service.createKey('customers', { intake: true });
    expect(await service.createKey('customers')).toEqual(key);
    expect(await service.createKey('customers', { intake: true, exportable: false })).toEqual(key);
    expect(await ask(service, 'POST /v1/keys', { name: 'customers' })).toMatchObject({ code: 'name_taken' });
    await ask(service, `POST /v1/keys/${key.key_id}/disable`);
    expect(await service.createKey('customers')).toMatchObject({ key_id: key.key_id, status: 'disabled' });
    await ask(service, `DELETE /v1/keys/${key.key_id}?grace_days=0`);
    expect((await service.createKey('customers')).key_id).not.toBe(key.key_id);
  });

  test('refuses a known name with another setting', async () => {
    const service = createLocalService();
    await service.createKey('customers', { intake: true });
    const refused = service.createKey('customers', { intake: false });
    await expect(refused).rejects.toMatchObject({ name: 'ServiceError', code: 'name_taken' });
  });

  test.each(['GET /v1/audit/verify', 'POST /v1/encrypt'])(
    '%s says that it needs a server, and how to get one',
    async (route) => {
      const answer = await ask(createLocalService(), route);
      expect(answer).toMatchObject({ status: 404, code: 'not_found' });
      expect(answer['detail']).toMatch(/has no audit log, no API keys.*`eaas import`/);
    },
  );

  test('lacks only operations that it refuses', () => {
    const needed = serverOperations.flatMap((of) => Object.keys(of) as Route[]);
    const isRefused = ({ onServers, serverMode }: Endpoint) => onServers === true || serverMode === true;
    expect(needed.filter((route) => !isRefused(endpoints[route]))).toEqual([]);
    expect(needed).toContain('GET /v1/audit/verify');
  });

  test('shows a key without its versions, because it counts no uses', async () => {
    const service = createLocalService();
    const shown = await ask(service, `GET /v1/keys/${service.keyId}`);
    expect(shown).toMatchObject({ name: 'default', versions_total: 1, versions: [] });
  });

  test('shows its API key to no spread, JSON or log', () => {
    const service = createLocalService();
    expect(service.apiKey).toMatch(/^eaas_sk_/);
    for (const shown of [
      JSON.stringify(service),
      inspect(service, { getters: true }),
      inspect(service, { getters: true, showHidden: true, depth: 9 }),
      inspect({ ...service }),
    ]) {
      expect(shown).not.toContain(service.apiKey);
    }
    expect(Object.keys({ ...service })).toEqual(['baseUrl', 'keyId', 'fetch']);
  });

  test('without keys of its own is refused in production, and one with keys is not', () => {
    vi.stubEnv('NODE_ENV', 'production');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(() => createLocalService()).toThrow(
      /^in production .*: pass `sealed`, `secret` or `file`, and in tests use `createTestService`$/,
    );
    expect(() => createLocalService({ sealed: formatSealed(newSealed(Date.now())) })).not.toThrow();
    expect(() => createTestService()).not.toThrow();
  });

  test('does not starve timers, even in an endless loop', async () => {
    const [service, bell] = [createLocalService(), new AbortController()];
    setTimeout(() => bell.abort(), 1);
    while (!bell.signal.aborted) await service.createKey('customers');
    expect(bell.signal.aborted).toBe(true);
  });
});
