import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { whereAvailable } from '@eaas/test-kit/available';
import { createDatabase, type TestDatabase } from '@eaas/test-kit/database';
import type { Environment } from '@eaas/test-kit/program';
import { hasProxy, type Proxy, type RunningProxy, startProxy } from '@eaas/test-kit/tenant-proxies';
import { newDek } from '@eaas/test-kit/faults/load';
import {
  newKey,
  operate,
  type Operator,
  readLog,
  type Replica,
  startReplica,
  type Tenant,
} from '@eaas/test-kit/faults/place';

// The tests use the configuration that the operator's manual prints for each proxy.

const proxies: readonly Proxy[] = ['haproxy', 'nginx', 'caddy'];

for (const name of proxies) {
  whereAvailable(name, hasProxy(name), () => describeProxy(name));
}

type Wrapping = Tenant & { readonly keyId: string };

function describeProxy(name: Proxy): void {
  describe(`the lines for ${name} in the manual`, () => {
    let database: TestDatabase;
    let operator: Operator;
    let env: Environment;
    let replicas: Replica[];
    let proxy: RunningProxy;
    let tenants: Wrapping[];

    beforeAll(async () => {
      database = await createDatabase();
      operator = await operate(database.url);
      env = { ...operator.env, EAAS_TRUST_PROXY: '127.0.0.1', EAAS_DRAIN_SECONDS: '5' };
      replicas = await Promise.all([startReplica(env), startReplica(env)]);
      proxy = await startProxy(
        name,
        replicas.map(({ port }) => port),
      );
      tenants = [];
      for (let nth = 0; nth < 8; nth++) tenants.push(await settle());
    });

    afterAll(async () => {
      await proxy?.stop();
      for (const replica of replicas ?? []) await replica.kill();
      await operator?.close();
      await database?.drop();
    });

    const settle = async (): Promise<Wrapping> => {
      const tenant = await operator.newTenant();
      return { ...tenant, keyId: await newKey(replicas[0] ?? { port: 0 }, tenant.token) };
    };

    const wrap = ({ token, keyId }: Wrapping, headers = {}): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const body = JSON.stringify({ dek: newDek() });
        const path = `/v1/keys/${keyId}/wrap`;
        const all = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
        const options = { port: proxy.port, host: '127.0.0.1', method: 'POST', agent: false, path };
        const call = request({ ...options, headers: all }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode));
        });
        call.on('error', reject).end(body);
      });

    /** Repeats the call after 502 and 503, as clients do. */
    const repeated = async (tenant: Wrapping, times = 3): Promise<number | undefined> => {
      const status = await wrap(tenant);
      if (times === 0 || (status !== 502 && status !== 503)) return status;
      await sleep(500);
      return repeated(tenant, times - 1);
    };

    test('all requests with the same API key go to the same server, and different API keys use both servers', async () => {
      const chosen = new Set<number>();
      // The proxy chooses a server by a hash of the API key. If it chooses the same server for the first eight, the
      // test tries more API keys.
      for (let nth = 0; nth < 8 || (chosen.size < 2 && nth < 60); nth++) {
        const tenant = tenants[nth] ?? (await settle());
        const before = await Promise.all(replicas.map(entriesOf));
        for (let times = 0; times < 6; times++) expect(await wrap(tenant)).toBe(200);
        const after = await Promise.all(replicas.map(entriesOf));
        const counts = after.map((count, server) => count - (before[server] ?? 0));
        expect(counts.toSorted((a, b) => a - b)).toEqual([0, 6]);
        chosen.add(counts.indexOf(6));
      }
      expect(chosen.size).toBe(2);
    });

    test('a client cannot choose the IP address of its audit entries', async () => {
      const [tenant] = tenants;
      if (!tenant) throw new Error('expected a tenant');
      expect(await wrap(tenant, { 'x-forwarded-for': '192.0.2.66' })).toBe(200);
      const [place] = replicas;
      const log = await readLog(place ?? { port: 0 }, tenant);
      expect(JSON.stringify(log)).not.toContain('192.0.2.66');
      expect(log.at(-1)).toMatchObject({ action: 'key.wrap', ip_address: '127.0.0.1' });
    });

    test('the metrics are not public', async () => {
      const response = await fetch(`http://127.0.0.1:${proxy.port}/metrics`);
      expect(response.status).toBe(404);
    });

    test('servers that are restarted one after the other lose no request', async () => {
      const failed: unknown[] = [];
      const load = { isOver: false, calls: 0 };
      const loops = Array.from({ length: 12 }, async (_, nth) => {
        const tenant = tenants[nth % 6] as Wrapping;
        while (!load.isOver) {
          load.calls++;
          // nginx does not ask whether a server is ready, so it sends requests until the server no longer listens.
          const status = await (name === 'nginx' ? repeated(tenant) : wrap(tenant)).catch(String);
          if (status !== 200) failed.push(status);
        }
      });
      for (const [nth, { port, stop }] of replicas.entries()) {
        await stop();
        replicas[nth] = await startReplica({ ...env, EAAS_PORT: String(port) });
        // Until each proxy sends requests to it again.
        await sleep(6_000);
      }
      load.isOver = true;
      await Promise.all(loops);
      expect({ failed, works: load.calls > 100 }).toEqual({ failed: [], works: true });
    });

    test('after a server was killed, the other server gets all requests', async () => {
      await replicas[0]?.kill();
      // Caddy 2.6 cannot send a body to a second server, so the clients send it again.
      const statuses = await Promise.all(
        tenants.map((tenant) => (name === 'caddy' ? repeated(tenant) : wrap(tenant))),
      );
      expect(statuses).toEqual(tenants.map(() => 200));
    });
  });
}

async function entriesOf({ baseUrl }: Replica): Promise<number> {
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  const samples = text.matchAll(/^eaas_audit_entries_total(?:\{.*\})? (\d+)$/gm);
  return Array.from(samples, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0);
}
