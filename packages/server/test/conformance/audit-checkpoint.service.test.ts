import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify as verifySignature,
} from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newestEntry, newTenant, ok, wrapped } from '@eaas/test-kit/fixture';
import { aHash } from './shapes.ts';

const tenant = await newTenant();
const keyId = (await tenant.newKey()).key_id;

const checkpoint = async (of = tenant) => ok(await of.api.get('/v1/audit/checkpoint'));
const verify = (note: string) => tenant.api.get(`/v1/audit/verify?checkpoint=${encodeURIComponent(note)}`);

function openNote(note: string, verifierKey: string): string {
  const [, name = '', hint = '', spki = ''] =
    /^(.+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(verifierKey) ?? [];
  const keyBytes = Buffer.from(spki, 'base64');
  const keyHash = createHash('sha256').update(`${name}\n`).update(keyBytes).digest().subarray(0, 4);
  const [text = '', signatures = ''] = note.split(/(?<=\n)\n(?=\u2014)/u);
  const [, signer, encoded = ''] = /^\u2014 (\S+) (\S+)\n$/u.exec(signatures) ?? [];
  const signature = Buffer.from(encoded, 'base64');
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: keyBytes.subarray(1).toString('base64url') };
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  const holds = verifySignature(null, Buffer.from(text), publicKey, signature.subarray(4));
  expect({
    algorithm: keyBytes[0],
    hint,
    signer,
    keyHash: signature.toString('hex', 0, 4),
    holds,
  }).toStrictEqual({
    algorithm: 1,
    hint: keyHash.toString('hex'),
    signer: name,
    keyHash: hint,
    holds: true,
  });
  return text;
}

function forged(text: string, privateKey: KeyObject, publicKey: KeyObject): string {
  const name = `eaas/${tenant.tenant_id}`;
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const hash = createHash('sha256').update(`${name}\n`).update(Buffer.of(1)).update(raw).digest();
  const signature = Buffer.concat([hash.subarray(0, 4), sign(null, Buffer.from(text), privateKey)]);
  return `${text}\n\u2014 ${name} ${signature.toString('base64')}\n`;
}

test('a checkpoint is a signed note with the id and hash of the newest entry, and the returned `verifier_key` verifies it', async () => {
  const head = await newestEntry(tenant);
  const answer = await checkpoint();
  expect(answer).toMatchObject({
    checkpoint: expect.any(String),
    verifier_key: expect.stringMatching(new RegExp(`^eaas/${tenant.tenant_id}\\+`)),
  });
  const hash = Buffer.from(head.hash, 'hex').toString('base64');
  expect(openNote(answer.checkpoint, answer.verifier_key)).toBe(
    `eaas.audit-chain.v1/${tenant.tenant_id}\n${head.id}\n${hash}\n`,
  );
  expect((await checkpoint()).verifier_key).toBe(answer.verifier_key);
});

describe('verify with a checkpoint', () => {
  test('GET /v1/audit/verify with a checkpoint proves that the log extends the checkpoint', async () => {
    const kept = await checkpoint();
    expect((await verify(kept.checkpoint)).body).toMatchObject({
      valid: true,
      checkpoint: expect.any(Object),
    });
    await wrapped(tenant.api, keyId);
    const later = await verify(kept.checkpoint);
    expect(later).toHaveStatus(200);
    expect(later.body).toMatchObject({ valid: true, error_count: 0, head: { hash: aHash } });
    expect(later.body.checkpoint).not.toBeNull();
  });

  test("verify returns 400 for a checkpoint that is not signed with this tenant's key", async () => {
    const other = await newTenant();
    const foreign = await checkpoint(other);
    expect(await verify(foreign.checkpoint)).toBeProblem('bad_request', /checkpoint/);
    const own = await checkpoint();
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const text = openNote(own.checkpoint, own.verifier_key);
    expect(await verify(forged(text, privateKey, publicKey))).toBeProblem('bad_request', /checkpoint/);
    const altered = own.checkpoint.replace(/\n\d+\n/, '\n1\n');
    expect(await verify(altered)).toBeProblem('bad_request', /checkpoint/);
  });

  test.for([
    'x',
    '\u2014',
    'eaas.audit-chain.v1/x\n1\nAAAA\n\n\u2014 x AAAA\n',
    'A'.repeat(5_000),
    '\u0000',
    '\n\n\n',
  ])('an invalid checkpoint returns 400: %j', async (note) => {
    expect(await verify(note)).toBeProblem('bad_request', /checkpoint/);
  });
});
