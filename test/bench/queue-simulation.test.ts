import { expect, test } from 'vitest';
import { type Model, simulate } from './queue-simulation.ts';

const model: Model = {
  servers: 1,
  tenants: 1,
  cores: Infinity,
  databaseCores: 1,
  clientPerCall: 0,
  serverPerCall: 100,
  serverPerAppend: 0,
  databasePerAppend: 0,
  databasePerEntry: 0,
  flush: 0,
};

test('without appends, the simulation agrees with the formula of a queue with one server', () => {
  const { p50, p99, perSecond } = simulate(model, { perSecond: 7_000 }, 120_000);
  const mean = 100 / (1 - 0.7);
  expect(perSecond / 7_000).toBeCloseTo(1, 1);
  expect(p50 / (mean * Math.log(2))).toBeCloseTo(1, 1);
  expect(p99 / (mean * Math.log(100))).toBeCloseTo(1, 1);
});

test('clients that call without a pause get the capacity of all servers', () => {
  const { perSecond } = simulate({ ...model, servers: 4, tenants: 400 }, { clients: 400 }, 40_000);
  expect(perSecond / 40_000).toBeGreaterThan(0.95);
  expect(perSecond / 40_000).toBeLessThan(1.05);
});

test('processes that share two cores get the capacity of two cores', () => {
  const shared = { ...model, servers: 4, tenants: 400, cores: 2 };
  const { perSecond } = simulate(shared, { clients: 400 }, 40_000);
  expect(perSecond / 20_000).toBeGreaterThan(0.95);
  expect(perSecond / 20_000).toBeLessThan(1.05);
});

test('calls of one tenant that wait for an append share the next append', () => {
  const slow = { ...model, serverPerCall: 1, databasePerAppend: 10, flush: 1_000 };
  const busy = simulate(slow, { clients: 50 }, 10_000);
  expect(busy.entriesPerAppend).toBeGreaterThan(20);
  expect(busy.perSecond).toBeGreaterThan(10_000);
  const many = simulate({ ...slow, tenants: 100_000 }, { clients: 50 }, 10_000);
  expect(many.entriesPerAppend).toBeLessThan(1.1);
});

test('with one call at a time, a call takes the sum of its steps', () => {
  const parts = { ...model, clientPerCall: 10, serverPerAppend: 20, databasePerAppend: 40, flush: 500 };
  const { perSecond } = simulate(parts, { clients: 1 }, 20_000);
  expect(1e6 / perSecond / (100 + 10 + 20 + 40 + 500)).toBeCloseTo(1, 1);
});
