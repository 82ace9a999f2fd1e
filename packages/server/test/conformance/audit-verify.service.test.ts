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
import { aTimestamp } from './shapes.ts';

const tenant = await newTenant();
const { key_id } = await tenant.newKey();
for (let number = 0; number < 8; number++) await wrapped(tenant.api, key_id);

const verify = (query: string) => tenant.api.get(`/v1/audit/verify?${query}`);

test('verify returns valid: true, the checked range and the head', async () => {
  const newest = await newestEntry(tenant);
  const { rows_checked = true, ...verdict } = ok(await tenant.api.get('/v1/audit/verify'));
  expect(rows_checked).toBe(true);
  expect(verdict).toStrictEqual({
    valid: true,
    complete: true,
    next_id: null,
    checked: 10,
    first_id: 1,
    last_id: 10,
    purged_through: null,
    head: { id: 10, hash: newest.hash },
    errors: [],
    error_count: 0,
    checkpoint: null,
    verified_at: aTimestamp,
  });
});

test.for([
  ['from_id=4', 7, 4, 10],
  ['to_id=4', 4, 1, 4],
  ['from_id=4&to_id=6', 3, 4, 6],
  ['from_id=10&to_id=10', 1, 10, 10],
] as const)('verify with the range %s checks %i entries', async ([query, checked, first_id, last_id]) => {
  const range = { checked, first_id, last_id, head: { id: 10 } };
  expect(ok(await verify(query))).toMatchObject({ valid: true, complete: true, error_count: 0, ...range });
});

test('GET /v1/audit/verify succeeds while other requests append entries', async () => {
  const busy = await newTenant();
  const { key_id } = await busy.newKey();
  const writing = Array.from({ length: 200 }, () => wrapped(busy.api, key_id));
  const verdicts = [];
  for (let round = 0; round < 10; round++) {
    verdicts.push(ok(await busy.api.get('/v1/audit/verify')));
  }
  await Promise.all(writing);
  verdicts.push(ok(await busy.api.get('/v1/audit/verify')));
  for (const verdict of verdicts) expect(verdict).toMatchObject({ valid: true, error_count: 0 });
  expect(verdicts.at(-1)).toMatchObject({ checked: 202, last_id: 202 });
});

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

describe('a checkpoint', () => {
  const checkpoint = async (of = tenant) => ok(await of.api.get('/v1/audit/checkpoint'));
  const verifyNote = (note: string) => verify(`checkpoint=${encodeURIComponent(note)}`);

  test('is a signed note with the id and hash of the newest entry, and the returned `verifier_key` verifies it', async () => {
    const head = await newestEntry(tenant);
    const answer = await checkpoint();
    expect(answer.verifier_key).toMatch(new RegExp(`^eaas/${tenant.tenant_id}\\+`));
    const hash = Buffer.from(head.hash, 'hex').toString('base64');
    expect(openNote(answer.checkpoint, answer.verifier_key)).toBe(
      `eaas.audit-chain.v1/${tenant.tenant_id}\n${head.id}\n${hash}\n`,
    );
    expect((await checkpoint()).verifier_key).toBe(answer.verifier_key);
  });

  test('proves to verify that the log extends it', async () => {
    const kept = await checkpoint();
    for (let round = 0; round < 2; round++) {
      const verdict = ok(await verifyNote(kept.checkpoint));
      expect(verdict).toMatchObject({ valid: true, error_count: 0, checkpoint: expect.any(Object) });
      await wrapped(tenant.api, key_id);
    }
  });

  test("that is not signed with this tenant's key is refused", async () => {
    const own = await checkpoint();
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const notes = [
      (await checkpoint(await newTenant())).checkpoint,
      forged(openNote(own.checkpoint, own.verifier_key), privateKey, publicKey),
      own.checkpoint.replace(/\n\d+\n/, '\n1\n'),
      'x',
      'eaas.audit-chain.v1/x\n1\nAAAA\n\n\u2014 x AAAA\n',
      'A'.repeat(5_000),
      '\n\n\n',
    ];
    for (const note of notes) expect(await verifyNote(note)).toBeProblem('bad_request', /checkpoint/);
  });
});
