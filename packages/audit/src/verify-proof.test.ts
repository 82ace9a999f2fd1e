import { expect, test } from 'vitest';
import { vectors } from '@eaas/test-kit/vectors';
import { verifyProof } from './index.ts';

const { policy, cases } = vectors('log-proof');
const [{ proof, tenant_id, id, hash, before }] = cases as [(typeof cases)[number]];

test('`verifyProof` verifies a proof with the text of a policy, on this platform alone', async () => {
  const proven = await verifyProof(proof, policy);
  expect(proven).toMatchObject({ tenantId: tenant_id, id, hash, before: new Date(before * 1_000) });
});

test.each<[string, unknown, RegExp]>([
  ['demands no witness', policy.replace('quorum enough', 'quorum none'), /got `quorum none`/],
  ['is not valid', 'quorum w', /^line 1 of the policy/],
  ['is missing', undefined, /^the policy must be a string/],
])('a policy that %s is an InputError', async (_, text, message) => {
  const error = { code: 'input', message: expect.stringMatching(message) as string };
  await expect(verifyProof(proof, text as string)).rejects.toMatchObject(error);
});
