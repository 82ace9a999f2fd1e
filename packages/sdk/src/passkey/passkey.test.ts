import { createHmac } from 'node:crypto';
import { DecryptionError } from '@eaas/protocol';
import { type HalfVector, vectors } from '@eaas/test-kit/vectors';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { InputError } from '../index.ts';
import { addPasskeyHalf, createPasskeyHalf, openPasskeyHalf } from './passkey.ts';

const hex = (text: string): Buffer<ArrayBuffer> => Buffer.from(text, 'hex');
const cases = vectors('half').vectors.filter(({ kind }) => kind === 'passkey');
const [first, second] = cases as [HalfVector, HalfVector];
const sealedOf = ({ rp_id: rp, credential_id_hex: id, sealed_hex: sealed }: HalfVector) => ({
  rp,
  passkey: hex(id).toString('base64url'),
  sealed: hex(sealed).toString('base64'),
});
const sealed = [sealedOf(first)];
const { subject } = first;
const options = { rp: { id: first.rp_id, name: 'app' }, user: { name: 'Ada' }, subject };

/** What the browser answers. Tests replace what they are about. */
const browser = {
  create: vi.fn(async () => credentialOf(first)),
  get: vi.fn(async () => credentialOf(first)),
  signalUnknownCredential: vi.fn(async () => undefined),
};

function credentialOf({ credential_id_hex: id, prf_hex }: HalfVector, prf: object = {}) {
  const results = { first: new Uint8Array(hex(prf_hex)).buffer };
  return {
    id: hex(id).toString('base64url'),
    rawId: new Uint8Array(hex(id)).buffer,
    getClientExtensionResults: () => ({ prf: { enabled: true, results, ...prf } }),
  };
}

beforeEach(() => {
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('navigator', { credentials: browser });
  vi.stubGlobal('PublicKeyCredential', browser);
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetAllMocks();
});

async function requireHalf(half: CryptoKey, of: HalfVector): Promise<void> {
  expect(half).toMatchObject({ extractable: false, usages: ['sign'], algorithm: { length: 256 } });
  const mac = createHmac('sha256', hex(of.half_hex ?? '')).update('x');
  expect(Buffer.from(await crypto.subtle.sign('HMAC', half, Buffer.from('x')))).toEqual(mac.digest());
}

test.each(cases)('$name: the half opens, and is sealed to the same bytes', async (vector) => {
  browser.get.mockImplementation(async () => credentialOf(vector));
  const { subject } = vector;
  await requireHalf(await openPasskeyHalf({ sealed: [sealedOf(vector)], subject }), vector);
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const half = await crypto.subtle.importKey('raw', hex(vector.half_hex ?? ''), hmac, true, ['sign']);
  vi.spyOn(crypto.subtle, 'generateKey').mockResolvedValue(half);
  vi.spyOn(crypto, 'getRandomValues').mockImplementation((bytes) => {
    if (bytes?.byteLength === 12) (bytes as unknown as Uint8Array).set(hex(vector.iv_hex));
    return bytes;
  });
  const given = { ...options, rp: { id: vector.rp_id, name: 'app' }, subject };
  const made = await createPasskeyHalf({ ...given, passkeys: [sealedOf(vector).passkey] });
  expect(made.sealed).toEqual(sealedOf(vector));
  await requireHalf(made.half, vector);
  expect(browser.create).not.toHaveBeenCalled();
});

test('what was altered, or sealed for another person, rp id or passkey, is a DecryptionError', async () => {
  const [own] = sealed;
  const altered = hex(first.sealed_hex).fill(0, 12, 13).toString('base64');
  for (const [one, of] of [
    [{ ...own, sealed: altered }, subject],
    [{ ...own, sealed: '' }, subject],
    [own, 'patient-8'],
    [{ ...own, rp: 'example.org' }, subject],
    [sealedOf(second), subject],
  ]) {
    await expect(openPasskeyHalf({ sealed: [one], subject: of } as never)).rejects.toThrow(DecryptionError);
  }
});

test('both ceremonies verify the person, and a new passkey takes the place of no other one', async () => {
  const other = sealedOf(second).passkey;
  const user = { name: 'Ada', id: 'of the app' };
  await requireHalf((await addPasskeyHalf({ ...options, user, sealed, exclude: [other] })).half, first);
  const allowCredentials = [{ type: 'public-key', id: new Uint8Array(hex(first.credential_id_hex)) }];
  const asked = { rpId: 'example.com', userVerification: 'required', allowCredentials };
  expect(browser.get.mock.lastCall).toMatchObject([{ publicKey: asked }]);
  const created = {
    excludeCredentials: [allowCredentials[0], { id: new Uint8Array(hex(second.credential_id_hex)) }],
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    user: { name: 'Ada', displayName: 'Ada', id: { length: 32 } },
  };
  expect(browser.create.mock.lastCall).toMatchObject([{ publicKey: created }]);
});

test.each<[string, () => unknown, number]>([
  ['insecure_context', () => vi.stubGlobal('isSecureContext', false), 0],
  ['no_webauthn', () => vi.stubGlobal('PublicKeyCredential', undefined), 0],
  ['no_prf', () => browser.get.mockResolvedValue(credentialOf(first, { results: undefined })), 1],
  ['cancelled', () => browser.get.mockRejectedValue(new DOMException('no', 'AbortError')), 1],
])('%s: nothing is returned, and only a new passkey is forgotten', async (code, prepare, forgotten) => {
  prepare();
  const known = [sealedOf(first).passkey];
  for (const passkeys of [[], known]) {
    await expect(createPasskeyHalf({ ...options, passkeys })).rejects.toMatchObject({ code });
  }
  const signalled = [{ rpId: 'example.com', credentialId: known[0] }];
  expect(browser.signalUnknownCredential.mock.calls).toEqual(forgotten ? [signalled] : []);
});

test('wrong options are an InputError before the person is asked', async () => {
  const settled = await Promise.allSettled([
    createPasskeyHalf({ ...options, subject: undefined } as never),
    createPasskeyHalf({ ...options, rp: { name: 'app' } } as never),
    createPasskeyHalf({ ...options, passkeys: ['not base64'] }),
    createPasskeyHalf({ ...options, recovery: { publicKey: 'eaas_pk_1.x' } }),
    openPasskeyHalf({ sealed: [], subject }),
  ]);
  for (const { status, ...of } of settled) {
    expect([status, of]).toEqual(['rejected', { reason: expect.any(InputError) as unknown }]);
  }
  expect([browser.create, browser.get].flatMap(({ mock }) => mock.calls)).toEqual([]);
});
