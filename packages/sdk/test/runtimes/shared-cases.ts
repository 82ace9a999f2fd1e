import { type Engine, nobleEngine } from '@eaas/protocol';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';
import type { Cases } from '@eaas/test-kit/runtimes/case';
import { clientCases } from './client-cases.ts';
import { engineCases } from './engine-cases.ts';
import { fieldsCases } from './fields-cases.ts';
import { intakeCases } from './intake-cases.ts';
import { proofCases } from './proof-cases.ts';
import { streamCases } from './stream-cases.ts';

export const enginesEverywhere: readonly Engine[] = [nobleEngine, webCryptoEngine];

export function sharedCases(engines: readonly string[]): Cases {
  return {
    ...clientCases,
    ...fieldsCases,
    ...streamCases,
    ...intakeCases,
    ...proofCases,
    ...Object.assign({}, ...engines.map(engineCases)),
  };
}
