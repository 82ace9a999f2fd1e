import { parseNoteKey, verifyCheckpoint } from '@eaas/protocol/internal-log';
import { verifyProof } from '@eaas/audit';
import { logProofs } from '@eaas/test-kit/log-proofs';
import type { Cases } from '@eaas/test-kit/runtimes/case';
import { refused, same } from './expect.ts';
import { replacing } from './replacing.ts';

const { policy, cases, refusals, cosignatures } = logProofs;

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
  'the cosignatures of witnesses by ML-DSA-44 are verified': async () => {
    for (const { verifier_key, checkpoint, line, time } of cosignatures.slice(1)) {
      const note = `${checkpoint}\n${line}`;
      const { signatures } = await verifyCheckpoint(note, [parseNoteKey(verifier_key)], () => false);
      same(
        signatures.map((signature) => signature.time),
        [time],
        'the times',
      );
    }
  },
};
