import { expect, test } from 'vitest';
import { simulate } from './queue-simulation.ts';
import type { Model } from './queue-stations.ts';
import { fitted } from '@eaas/test-kit/statistics';

const model: Model = {
  servers: 1,
  tenants: 1,
  cores: Infinity,
  databaseCores: 1,
  connections: Infinity,
  clientPerCall: 0,
  serverPerCall: 100,
  serverPerAppend: 0,
  databasePerAppend: 0,
  databasePerEntry: 0,
  flushes: [0],
  pauses: [],
  betweenPauses: Infinity,
};

test('without appends, the simulated response times agree with the formulas of an M/M/1 queue', () => {
  const { p50, p99, perSecond } = simulate(model, { perSecond: 7_000 }, 300_000);
  const mean = 100 / (1 - 0.7);
  expect(perSecond / 7_000).toBeCloseTo(1, 1);
  expect(p50 / (mean * Math.log(2))).toBeCloseTo(1, 1);
  expect(p99 / (mean * Math.log(100))).toBeCloseTo(1, 1);
});

test('if clients call without a pause, the throughput is the sum of the capacities of all servers', () => {
  const { perSecond } = simulate({ ...model, servers: 4, tenants: 400 }, { clients: 400 }, 40_000);
  expect(perSecond / 40_000).toBeGreaterThan(0.95);
  expect(perSecond / 40_000).toBeLessThan(1.05);
});

test('if servers share two cores, the throughput is the capacity of two cores', () => {
  const shared = { ...model, servers: 4, tenants: 400, cores: 2 };
  const { perSecond } = simulate(shared, { clients: 400 }, 40_000);
  expect(perSecond / 20_000).toBeGreaterThan(0.95);
  expect(perSecond / 20_000).toBeLessThan(1.05);
});

test('calls of one tenant that wait for an append share the next append', () => {
  const slow = { ...model, serverPerCall: 1, databasePerAppend: 10, flushes: [1_000] };
  const busy = simulate(slow, { clients: 50 }, 10_000);
  expect(busy.entriesPerAppend).toBeGreaterThan(20);
  expect(busy.perSecond).toBeGreaterThan(10_000);
  const many = simulate({ ...slow, tenants: 100_000 }, { clients: 50 }, 10_000);
  expect(many.entriesPerAppend).toBeLessThan(1.1);
});

test('with four concurrent calls of one tenant, an append has about two entries', () => {
  const { entriesPerAppend } = simulate({ ...model, databasePerAppend: 5_000 }, { clients: 4 }, 10_000);
  expect(entriesPerAppend).toBeGreaterThan(1.9);
  expect(entriesPerAppend).toBeLessThan(2.1);
});

test('with one call at a time, the time of a call is the sum of the times of its steps', () => {
  const parts = {
    ...model,
    clientPerCall: 10,
    serverPerAppend: 20,
    databasePerAppend: 40,
    flushes: [400, 600],
  };
  const { perSecond } = simulate(parts, { clients: 1 }, 20_000);
  expect(1e6 / perSecond / (100 + 10 + 20 + 40 + 500)).toBeCloseTo(1, 1);
});

test('all appends that wait for a flush share the next flush', () => {
  const flushing = { ...model, tenants: 400, servers: 4, databasePerAppend: 1, flushes: [10_000] };
  const { perSecond } = simulate(flushing, { clients: 400 }, 40_000);
  expect(perSecond).toBeGreaterThan(100 * 100);
  const { perSecond: connected } = simulate({ ...flushing, connections: 2 }, { clients: 400 }, 40_000);
  expect(connected).toBeLessThan(100 * 9);
});

test('pauses of a server reduce its throughput and lengthen the slowest calls', () => {
  const paused = { ...model, pauses: [2_500], betweenPauses: 10_000 };
  const { perSecond } = simulate(paused, { clients: 10 }, 40_000);
  expect(perSecond / 8_000).toBeCloseTo(1, 1);
  const slowest = (one: Model) => simulate(one, { perSecond: 3_000 }, 40_000).p99;
  expect(slowest(paused)).toBeGreaterThan(3 * slowest(model));
});

test('with 16 tenants instead of one, the median response time falls and the 99th percentile rises', () => {
  const paused = { ...model, pauses: [20_000], betweenPauses: 100_000 };
  const p99 = (tenants: number) => simulate({ ...paused, tenants }, { perSecond: 6_000 }, 40_000).p99;
  const p50 = (tenants: number) => simulate({ ...paused, tenants }, { perSecond: 6_000 }, 40_000).p50;
  expect(p50(16)).toBeLessThan(p50(1));
  expect(p99(16)).toBeGreaterThan(p99(1));
});

test('`fitted` returns the slope and the value at zero (`base`) of the line through the points', () => {
  const { base, slope } = fitted([0.1, 0.5, 1].map((x) => [x, 7 + 3 * x]));
  expect([base, slope].map((value) => value.toFixed(6))).toEqual(['7.000000', '3.000000']);
});
