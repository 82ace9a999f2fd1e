import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDatabase, type TestDatabase } from '../../../test/setup/database.ts';
import { migrated } from '../../../test/setup/migrated.ts';
import { readConfig } from './config.ts';
import type { Purpose } from './open-database.ts';
import { openService } from './open-service.ts';
import { createTenant } from './operations/tenants.ts';

let place: TestDatabase;
beforeEach(async () => {
  place = await createDatabase(migrated);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await place.drop();
});

const open = (purpose: Purpose, env: Record<string, string> = {}) =>
  openService(
    readConfig({
      DATABASE_URL: place.url('server'),
      EAAS_ROOT_KEY: randomBytes(32).toString('base64'),
      ...env,
    }),
    purpose,
  );

test('a command takes its time from the database, however wrong its own machine is', async () => {
  const { now } = Date;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
  const { service, close } = await open('command');
  const { created_at } = await createTenant(service, { name: 'acme' });
  expect(Math.abs(Date.parse(created_at) - now())).toBeLessThan(5_000);
  await close();
});

test('a server warns of what should not stay so: the role, plain HTTP, misspelled variables', async () => {
  const env = {
    EAAS_HOST: '0.0.0.0',
    EAAS_INSECURE_HTTP: '1',
    EAAS_LOGS: 'x',
    DATABASE_URL: place.url('owner'),
  };
  const { warnings, close } = await open('serve', env);
  expect(warnings).toEqual([
    expect.stringContaining('EAAS_LOGS is not a variable'),
    expect.stringContaining('travel unencrypted'),
    expect.stringContaining('owns the tables'),
  ]);
  await close();
});

test('with a role of its own, on loopback, there is nothing to warn of', async () => {
  const { warnings, close } = await open('serve');
  expect(warnings).toEqual([]);
  await close();
});
