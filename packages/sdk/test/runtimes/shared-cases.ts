import { type Engine, nobleEngine } from '@eaas/protocol';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';
import type { Case } from '@eaas/test-kit/runtimes/case';
import { dataKeyCases } from './data-key-cases.ts';
import { engineCases } from './engine-cases.ts';
import { envelopeCases } from './envelope-cases.ts';
import { failureCases } from './failure-cases.ts';
import { fieldsCases } from './fields-cases.ts';
import { halfCases } from './half-cases.ts';
import { intakeCases } from './intake-cases.ts';
import { proofCases } from './proof-cases.ts';
import { streamCases } from './stream-cases.ts';

export const enginesEverywhere: readonly Engine[] = [nobleEngine, webCryptoEngine];

export function sharedCases(engines: readonly string[]): readonly Case[] {
  return [
    ...envelopeCases,
    ...dataKeyCases,
    ...failureCases,
    ...fieldsCases,
    ...streamCases,
    ...intakeCases,
    ...proofCases,
    ...engines.flatMap(engineCases),
    ...engines.flatMap(halfCases),
  ];
}
