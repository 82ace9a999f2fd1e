import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { whereAvailable } from '@eaas/test-kit/available';
import { type App, installPackages } from '@eaas/test-kit/installed-packages';
import type { CaseResult, Settings } from '@eaas/test-kit/runtimes/case';
import { chromium } from '@eaas/test-kit/runtimes/chromium';
import { programs } from '@eaas/test-kit/runtimes/programs';
import { proxyFor } from './proxied-page.ts';
import type { Runtime, Work } from '@eaas/test-kit/runtimes/runtime';
import { openService, type RunningService } from './service.ts';
import { enginesEverywhere } from './shared-cases.ts';
import { programCases, type run as runInProgram } from './suite.ts';
import { pageCases, type run as runInPage } from './suite-in-page.ts';
import { workerd } from '@eaas/test-kit/runtimes/workerd';

let app: App;
let service: RunningService;

beforeAll(async () => {
  [app, service] = await Promise.all([installPackages(), openService()]);
});

afterAll(async () => {
  await service.close();
  app.remove();
});

const everywhere = enginesEverywhere.map(({ name }) => name);
const places = [
  ...programs.map((runtime) => ({ runtime, cases: programCases([...everywhere, 'node']), run: runProgram })),
  { runtime: workerd(), cases: programCases(everywhere), run: runProgram },
  { runtime: chromium, cases: pageCases, run: runPage },
];

for (const { runtime, cases, run } of places) {
  const { name, available = true } = runtime;
  whereAvailable(name, available, () => {
    let ran: Ran = { results: [], over: Promise.resolve() };

    beforeAll(async () => {
      ran = await run(runtime);
    });

    test.each(Object.keys(cases))('%s', (title) => {
      expect(ran.results.find((of) => of.name === title)?.error).toBe('');
    });

    test('clients that were not closed do not prevent the runtime from exiting', async () => {
      await expect(ran.over).resolves.toBeUndefined();
    });
  });
}

interface Ran {
  readonly results: readonly CaseResult[];
  readonly over: Promise<void>;
}

async function runProgram(runtime: Runtime): Promise<Ran> {
  const settings = await service.settle(runtime.name);
  return runIn(runtime, 'suite.ts', settings);
}

async function runPage(runtime: Runtime): Promise<Ran> {
  const { apiKey, ...told } = await service.settle(runtime.name);
  const { baseUrl, keyId, otherKeyId, intake } = told;
  const keys = [keyId, otherKeyId, intake.keyId];
  const api = await proxyFor(app, { baseUrl, apiKey, basePath: '/api/eaas', keys });
  return runIn(runtime, 'suite-in-page.ts', { ...told, baseUrl: '/api/eaas' }, { api });
}

async function runIn(
  runtime: Runtime,
  module: string,
  settings: Settings,
  mounts?: Work['mounts'],
): Promise<Ran> {
  const started = await runtime.start({ app, module: join(import.meta.dirname, module), mounts });
  try {
    const results = await (started.run(settings) as ReturnType<typeof runInProgram | typeof runInPage>);
    const over = started.stop();
    over.catch(() => {});
    return { results, over };
  } catch (error) {
    await started.stop().catch(() => {});
    throw error;
  }
}
