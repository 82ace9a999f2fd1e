import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs, some } from '@eaas/test-kit/cases';
import { vectors } from '@eaas/test-kit/vectors';
import { verifyEd25519 } from '../../test/verify-ed25519.ts';
import { EaasError } from '../errors.ts';
import { toUtf8 } from '../text.ts';
import { parsePolicy } from './policy.ts';
import { formatExtra, formatTlogProof, parseExtra, parseTlogProof, verifyProof } from './proof.ts';

const { policy: text, cases, refusals } = vectors('log-proof');
const policy = parsePolicy(text);

const signed = ['w1,w2', 'w1,w2', 'w1,w2', 'w2,w3', 'w1,w2'].map((witnesses) => witnesses.split(','));

test.each(cases)(
  'a proof shows what the vector says, and the witnesses that signed: $name',
  async (vector) => {
    const { tenant_id, id, hash, before, claimed_time, origin } = vector;
    const proven = await verifyProof(vector.proof, policy, verifyEd25519);
    const witnesses = signed[cases.indexOf(vector)];
    expect(proven).toMatchObject({ tenantId: tenant_id, id, hash, origin, size: 5, witnesses });
    expect(proven.before.getTime()).toBe(before * 1_000);
    expect(proven.claimedTime.getTime()).toBe(claimed_time);
  },
);

test.each(refusals)('$name is refused with $code', async ({ proof, code }) => {
  await expect(verifyProof(proof, policy, verifyEd25519)).rejects.toMatchObject({
    name: 'LogProofError',
    code,
  });
});

const [{ proof }] = cases as [(typeof cases)[number]];

test('a proof with any bit changed is refused', async () => {
  const bytes = toUtf8(proof);
  for (const bit of some(
    400,
    Array.from({ length: bytes.length * 8 }, (_, at) => at),
  )) {
    const changed = bytes.with(bit >> 3, (bytes[bit >> 3] as number) ^ (1 << (bit & 7)));
    const other = Buffer.from(changed).toString('utf8');
    await expect(verifyProof(other, policy, verifyEd25519), `bit ${bit}`).rejects.toThrow(EaasError);
  }
});

test('a proof with a line less, or a line twice, is refused', async () => {
  const lines = proof.split('\n');
  for (const at of lines.keys()) {
    const [less, twice] = [lines.toSpliced(at, 1), lines.toSpliced(at, 0, lines[at] ?? '')];
    for (const changed of [less, twice]) {
      await expect(verifyProof(changed.join('\n'), policy, verifyEd25519), `line ${at}`).rejects.toThrow(
        EaasError,
      );
    }
  }
});

test('a policy without a log of the origin, or without enough of the witnesses, refuses the proof', async () => {
  const [log = '', w1 = '', w2 = '', w3 = ''] = text.split('\n');
  const refusedBy = (...lines: string[]): Promise<string> =>
    verifyProof(proof, parsePolicy(lines.join('\n')), verifyEd25519).then(
      () => 'accepted',
      (error: EaasError) => error.code,
    );
  expect(await refusedBy(w1, 'quorum w1')).toBe('proof_log');
  expect(await refusedBy(log, w1, 'quorum w1')).toBe('accepted');
  expect(await refusedBy(log, w3, 'quorum w3')).toBe('proof_quorum');
  expect(await refusedBy(log, w1, w2, w3, 'group g all w1 w2 w3', 'quorum g')).toBe('proof_quorum');
  expect(await refusedBy(log, w1, 'quorum none')).toBe('input');
});

test('a proof whose cosigners a policy lists as logs is not signed by the log', async () => {
  const [, w1 = '', w2 = '', w3 = ''] = text.split('\n');
  const asLog = w1.replace('witness w1', 'log');
  const lines = [asLog, w2, w3, 'group g any w2 w3', 'quorum g'];
  await expect(verifyProof(proof, parsePolicy(lines.join('\n')), verifyEd25519)).rejects.toMatchObject({
    code: 'proof_log',
  });
});

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });

test('`extra` is what was written', () => {
  const moments = fc.record({
    tenantId: fc.uuid(),
    id: fc.maxSafeNat(),
    hash,
    time: fc.nat({ max: 8_640_000_000_000_000 }),
    path: fc.array(hash, { maxLength: 256 }),
  });
  fc.assert(
    fc.property(moments, (moment) => {
      expect(parseExtra(formatExtra(moment))).toEqual(moment);
    }),
    { numRuns: runs(300) },
  );
});

test('a path of 257 hashes, another form of a tenant id, and a time that is no date are refused', () => {
  const moment = {
    tenantId: 'abcdef00-0000-4000-8000-000000000000',
    id: 1,
    hash: new Uint8Array(32),
    time: 1,
  };
  const path = Array.from({ length: 256 }, () => new Uint8Array(32));
  const isRead = (changed: object): boolean =>
    parseExtra(formatExtra({ ...moment, path, ...changed })) !== undefined;
  expect(isRead({})).toBe(true);
  expect(isRead({ path: [...path, new Uint8Array(32)] })).toBe(false);
  expect(isRead({ tenantId: moment.tenantId.toUpperCase() })).toBe(false);
  expect(isRead({ tenantId: 'acme' })).toBe(false);
  expect(isRead({ time: 8_640_000_000_000_001 })).toBe(false);
  expect(isRead({ path: [new Uint8Array(31)] })).toBe(false);
  expect(isRead({ path: [...path.slice(1), new Uint8Array(31)] })).toBe(false);
});

test('a proof is what was written', () => {
  const proofs = fc.record({
    extra: fc.option(fc.uint8Array(), { nil: undefined }),
    index: fc.maxSafeNat(),
    path: fc.array(hash, { maxLength: 63 }),
    checkpoint: fc.string({ minLength: 1 }),
  });
  fc.assert(
    fc.property(proofs, (each) => {
      expect(parseTlogProof(formatTlogProof(each))).toEqual(each);
    }),
    { numRuns: runs(300) },
  );
});
