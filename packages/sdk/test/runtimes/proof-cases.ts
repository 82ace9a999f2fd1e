import { verifyProof } from '@eaas/audit';
import { logProofs } from '@eaas/test-kit/log-proofs';
import type { Cases } from '@eaas/test-kit/runtimes/case';
import { refused, same } from './expect.ts';
import { replacing } from './replacing.ts';

const { policy, cases, refusals } = logProofs;

export const proofCases: Cases = {
  'a proof of the public log is verified without a request': async () => {
    const unavailable = (): never => {
      throw new Error('verifying a proof made a request');
    };
    for (const { proof, tenant_id, id, hash, before } of cases) {
      const proven = await replacing(globalThis, 'fetch', unavailable, () => verifyProof(proof, policy));
      same([proven.tenantId, proven.id, proven.hash], [tenant_id, id, hash], 'the proven head');
      same(proven.before.getTime(), before * 1_000, 'the time before which the head existed');
    }
    for (const { proof, code } of refusals) await refused(() => verifyProof(proof, policy), code);
  },
};
