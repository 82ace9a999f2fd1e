import type { Engine } from '@eaas/protocol';
import { EaasClient } from '@eaas/sdk';
import { administrationCases, type ProgramScene } from './administration-cases.ts';
import { type CaseResult, type Cases, runCases, type Settings } from '@eaas/test-kit/runtimes/case';
import { enginesEverywhere, sharedCases } from './shared-cases.ts';

export const programCases = (engines: readonly string[]): Cases<ProgramScene> => ({
  ...sharedCases(engines),
  ...administrationCases,
});

export async function run(settings: Settings, more: readonly Engine[]): Promise<CaseResult[]> {
  const { baseUrl, apiKey = '', keyId } = settings;
  const engines = [...enginesEverywhere, ...more];
  return runCases(programCases(engines.map(({ name }) => name)), {
    ...settings,
    engines,
    connect: (options = {}) => new EaasClient({ baseUrl, apiKey, keyId, ...options }),
  });
}
