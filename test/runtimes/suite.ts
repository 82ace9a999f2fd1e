import { type Engine, nobleEngine } from '@eaas/protocol';
import { EaasClient } from '@eaas/sdk';
import { administrationCases, type ProgramScene } from './administration-cases.ts';
import { type Case, type CaseResult, runCases, type Settings } from './case.ts';
import { auditCases } from './audit-cases.ts';
import { reencryptCases } from './reencrypt-cases.ts';
import { enginesEverywhere, sharedCases } from './shared-cases.ts';
import { testingCases } from './testing-cases.ts';

/** Every case for a program with these engines. */
export const programCases = (engines: readonly string[]): readonly Case<ProgramScene>[] => [
  ...sharedCases(engines),
  ...administrationCases,
  ...auditCases,
  ...reencryptCases,
  ...testingCases,
];

/** The suite in a program that holds an API key. */
export async function run(settings: Settings, more: readonly Engine[]): Promise<CaseResult[]> {
  const { baseUrl, apiKey = '', keyId } = settings;
  const engines = [...enginesEverywhere, ...more];
  // What its app brings along where nothing of the platform answers at once.
  const own = new EaasClient({ baseUrl, apiKey }).engines.sync ? {} : { sync: nobleEngine };
  return runCases(programCases(engines.map(({ name }) => name)), {
    ...settings,
    engines,
    connect: (options = {}) => new EaasClient({ baseUrl, apiKey, keyId, engines: own, ...options }),
  });
}
