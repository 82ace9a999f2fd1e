import { createBrowserClient } from '@eaas/sdk/browser';
import { type CaseResult, runCases, type Settings } from '@eaas/test-kit/runtimes/case';
import { enginesEverywhere, sharedCases } from './shared-cases.ts';

export const pageCases = sharedCases(enginesEverywhere.map(({ name }) => name));

export async function run(settings: Settings): Promise<CaseResult[]> {
  const { keyId } = settings;
  return runCases(pageCases, {
    ...settings,
    engines: enginesEverywhere,
    connect: (options) => createBrowserClient({ keyId, ...options }),
  });
}
