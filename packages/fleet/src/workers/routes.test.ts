import { describe, expect, it } from 'vitest';
import { Routes } from './routes.ts';

const workers = [1, 2, 3];

function started(numbers: readonly number[] = workers): Routes {
  const routes = new Routes();
  for (const worker of numbers) routes.add(worker);
  return routes;
}

const settle = (routes: Routes, token: string, tenantId: string): number =>
  routes.learn(token, tenantId, routes.choose(token)?.worker ?? 0);

const workerOf = (routes: Routes, token: string): number | undefined => routes.choose(token)?.worker;

function countsOf(routes: Routes, tokens: readonly string[]): number[] {
  const chosen = tokens.map((token) => workerOf(routes, token));
  return workers.map((worker) => chosen.filter((each) => each === worker).length);
}

const tenants = Array.from({ length: 9 }, (_, nth) => `tenant ${nth}`);

describe('Routes', () => {
  it('all connections of an API key go to one worker', () => {
    const routes = started();
    const first = routes.choose('a');
    expect(first?.isKnown).toBe(false);
    expect(routes.choose('a')).toEqual(first);
    routes.choose('b');
    routes.learn('a', 'tenant', first?.worker ?? 0);
    expect(routes.choose('a')).toEqual({ worker: first?.worker, isKnown: true });
  });

  it('the second API key of a tenant moves to the worker of the tenant', () => {
    const routes = started();
    const [first, second] = [workerOf(routes, 'a'), workerOf(routes, 'b')];
    expect(second).not.toBe(first);
    expect(routes.learn('a', 'tenant', first ?? 0)).toBe(first);
    expect(routes.learn('b', 'tenant', second ?? 0)).toBe(first);
    expect(routes.choose('b')).toEqual({ worker: first, isKnown: true });
  });

  it('tenants are divided equally among the workers, even if each tenant has two API keys', () => {
    const routes = started();
    for (const tenant of tenants) {
      settle(routes, `${tenant} first`, tenant);
      settle(routes, `${tenant} second`, tenant);
    }
    expect(
      countsOf(
        routes,
        tenants.map((tenant) => `${tenant} first`),
      ),
    ).toEqual([3, 3, 3]);
    expect(tenants.map((tenant) => workerOf(routes, `${tenant} second`))).toEqual(
      tenants.map((tenant) => workerOf(routes, `${tenant} first`)),
    );
  });

  it('connections without an API key go to the workers in turn', () => {
    const routes = started();
    expect([1, 2, 3, 4].map(() => routes.choose(undefined)?.worker)).toEqual([1, 2, 3, 1]);
  });

  it('a flood of unknown API keys does not push known tenants out of the cache', () => {
    const routes = started();
    for (const tenant of tenants) settle(routes, tenant, tenant);
    const before = tenants.map((tenant) => workerOf(routes, tenant));
    for (let nth = 0; nth < 30_000; nth++) routes.choose(`unknown ${nth}`);
    expect(tenants.map((tenant) => routes.choose(tenant))).toEqual(
      before.map((worker) => ({ worker, isKnown: true })),
    );
    settle(routes, 'another', 'another tenant');
    expect(routes.choose('another')?.isKnown).toBe(true);
  });

  it('other workers serve the tenants of a worker that has ended', () => {
    const routes = started();
    for (const tenant of tenants) settle(routes, tenant, tenant);
    routes.remove(2);
    const [first, second, third] = countsOf(routes, tenants);
    expect(second).toBe(0);
    expect([first, third].toSorted((a = 0, b = 0) => a - b)).toEqual([4, 5]);
  });

  it('a restarted worker takes over an equal part of the tenants', () => {
    const routes = started();
    for (const tenant of tenants) settle(routes, tenant, tenant);
    routes.remove(2);
    countsOf(routes, tenants);
    const moved = routes.add(2);
    expect(moved).toHaveLength(3);
    expect(countsOf(routes, tenants)).toEqual([3, 3, 3]);
    expect(moved.map(({ name }) => workerOf(routes, name))).toEqual([2, 2, 2]);
  });

  it('a report from a worker that has already ended assigns no tenant to that worker', () => {
    const routes = started();
    routes.remove(2);
    routes.learn('a', 'tenant', 2);
    expect(workerOf(routes, 'a')).not.toBe(2);
  });

  it('without a running worker, no worker is chosen', () => {
    const routes = started([1]);
    routes.remove(1);
    expect(routes.choose('a')).toBeUndefined();
    expect(routes.choose(undefined)).toBeUndefined();
  });
});
