import { Database, readClock, rootKey, type Service, verifyChain } from '@eaas/server/internal';
import { countUsage, createService, healthOf } from '@eaas/test-kit/server';
import { expect, inject, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { copyDatabase, type CopyReport } from '../../src/copy/copy-database.ts';
import { alone } from '@eaas/test-kit/alone';
import { whereAvailable } from '@eaas/test-kit/available';
import { citusIsInstalled } from '@eaas/test-kit/citus';
import { migrated, type PostgresAddress, testDatabase } from '@eaas/test-kit/database';
import { requested } from '@eaas/test-kit/on-demand';
import { apiOf, dek, settle, statusOf } from '@eaas/test-kit/world';

async function serviceIn(address?: Promise<PostgresAddress>): Promise<Service> {
  const place = await testDatabase(migrated, address);
  const database = await closing(new Database(place.connection('server'), 8), (it) => it.close());
  const service = createService({ database, roots: [rootKey(new Uint8Array(32).fill(5))] });
  await readClock(service);
  return service;
}

async function move(source: Service, target: Service): Promise<CopyReport[]> {
  const reports: CopyReport[] = [];
  for await (const report of copyDatabase({ source, target }, { isMove: true, tell: () => () => {} })) {
    reports.push(report);
  }
  return reports;
}

const isReady = async (service: Service): Promise<boolean> => (await healthOf(service)()).ready;

whereAvailable('Citus', await citusIsInstalled(), () => {
  test('tenants move from one PostgreSQL to Citus, and back', async () => {
    const plain = await serviceIn();
    const citus = await serviceIn(requested<PostgresAddress>(inject('citus')));
    expect([await isReady(plain), await isReady(citus)]).toEqual([true, true]);
    const residents = [await settle(plain, 'ann'), await settle(plain, 'bob')];
    for (const { token } of residents) {
      const api = apiOf(plain, token);
      const { key_id } = await api('POST /v1/keys', { name: 'key' });
      await api('POST /v1/keys/:key_id/rotate', { key_id });
      const items = Array.from({ length: 100 }, () => ({ key_id, dek }));
      await api('POST /v1/batch/wrap', { items });
    }
    await countUsage(plain, alone());
    const [ann] = residents;
    const wrapIn = async (service: Service): Promise<number> => {
      const api = apiOf(service, ann?.token ?? '');
      return statusOf(
        api('GET /v1/keys', {}).then(({ keys: [key] }) =>
          api('POST /v1/keys/:key_id/wrap', { key_id: key?.key_id ?? '', dek }),
        ),
      );
    };
    const isMoved = [{ state: 'moved' }, { state: 'moved' }];
    expect(await move(plain, citus)).toMatchObject(isMoved);
    expect([await wrapIn(plain), await wrapIn(citus)]).toEqual([503, 200]);
    expect([await isReady(plain), await isReady(citus)]).toEqual([false, true]);
    const usage = await apiOf(citus, ann?.token ?? '')('GET /v1/usage', {});
    expect(usage.operations['key.wrap']).toBe(101);
    for (const { tenantId } of residents) {
      expect(await verifyChain(citus, tenantId)).toMatchObject({ valid: true, error_count: 0 });
    }
    expect(await move(citus, plain)).toMatchObject(isMoved);
    expect([await wrapIn(plain), await wrapIn(citus)]).toEqual([200, 503]);
    expect([await isReady(plain), await isReady(citus)]).toEqual([true, false]);
    for (const { tenantId } of residents) {
      expect(await verifyChain(plain, tenantId)).toMatchObject({ valid: true, error_count: 0 });
    }
  });
});
