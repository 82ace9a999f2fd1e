import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, installPackages } from '@eaas/test-kit/installed-packages';
import { type Settings, within } from '@eaas/test-kit/runtimes/case';
import type { Started } from '@eaas/test-kit/runtimes/runtime';
import { openService, type RunningService } from './service.ts';
import type { ProxyCall, run } from './shared-client.ts';
import { workerd } from '@eaas/test-kit/runtimes/workerd';

let app: App;
let service: RunningService;
let settings: Settings;
let worker: Started;

beforeAll(async () => {
  [app, service] = await Promise.all([installPackages(), openService()]);
  settings = await service.settle('with one client for all requests');
  worker = await workerd().start({ app, module: join(import.meta.dirname, 'shared-client.ts') });
});

afterAll(async () => {
  await worker.stop();
  await service.close();
  app.remove();
});

async function ask(asked: Partial<ProxyCall> = {}): ReturnType<typeof run> {
  const { vectors: _, ...told } = settings;
  const answering = worker.run({ ...told, ...asked }) as ReturnType<typeof run>;
  return within(120_000, answering, 'The request');
}

test('in workerd, waiting requests get responses even if the request that fetches the data key ends early', async () => {
  const [first, ...others] = await Promise.all([ask({ patience: 50 }), ask(), ask()]);
  expect(first).toEqual({ code: 'aborted' });
  for (const { code, text } of others) expect(code === 'timeout' || text === 'a secret').toBe(true);
  expect(await ask()).toMatchObject({ text: 'a secret' });
});
