import { expect, test } from 'vitest';
import { vectors } from '@eaas/test-kit/vectors';
import { LogProofError, verifyProof } from './proof.ts';

const { policy, cases, refusals } = vectors('log-proof');
const [{ proof, tenant_id, id, hash, before }] = cases as [(typeof cases)[number]];

test('`verifyProof` verifies a proof with the text of a policy, on this platform alone', async () => {
  const proven = await verifyProof(proof, policy);
  expect(proven).toMatchObject({ tenantId: tenant_id, id, hash, before: new Date(before * 1_000) });
});

test.each(refusals)('`verifyProof` refuses $name with $code', async ({ proof: changed, code }) => {
  const error = await verifyProof(changed, policy).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(LogProofError);
  expect(error).toMatchObject({ code });
});

test('the option `verifySignature` decides in the place of the platform', async () => {
  const lengths: number[][] = [];
  const verifySignature = (...parts: Uint8Array[]): boolean =>
    lengths.push(parts.map(({ length }) => length)) > 3;
  await expect(verifyProof(proof, policy, { verifySignature })).rejects.toMatchObject({
    code: 'proof_signature',
  });
  expect(lengths).toEqual([[32, 64, expect.any(Number)]]);
});

test('a policy that is not valid, or demands no witness, is an InputError', async () => {
  const withNone = policy.replace('quorum enough', 'quorum none');
  const refusal = (text: unknown, ...more: object[]) => verifyProof(proof, text as string, ...more);
  await expect(refusal(withNone)).rejects.toMatchObject({
    code: 'input',
    message: expect.stringMatching(/got `quorum none`/),
  });
  await expect(refusal('quorum w')).rejects.toMatchObject({
    code: 'input',
    message: expect.stringMatching(/^line 1 of the policy/),
  });
  await expect(refusal(undefined)).rejects.toMatchObject({
    code: 'input',
    message: expect.stringMatching(/^the policy must be a string/),
  });
  await expect(refusal(policy, { verify: true })).rejects.toMatchObject({
    code: 'input',
    message: expect.stringMatching(/no option/),
  });
});
