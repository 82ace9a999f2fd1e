import { afterAll, beforeAll, expect, test } from 'vitest';
import { EaasClient } from '../src/index.ts';
import { createIntake, type Intake } from '../src/intake/intake.ts';
import { openWorld, settle, type World } from '@eaas/test-kit/world';

const context = { form: 'contact', submission: '17' };
const versionAt = 20;
const lengthAt = 24;
const wrappedAt = 26;

let world: World;
let client: EaasClient;
let keyId: string;
let otherKeyId: string;
let intake: Intake;

beforeAll(async () => {
  world = await openWorld('2026-01-01T00:00:00.000Z');
  const replica = world.replica();
  const { token: apiKey } = await settle(replica, 'flips');
  client = new EaasClient({ baseUrl: await world.serve(replica), apiKey });
  const [key, other] = await Promise.all(
    ['forms', 'other'].map((name) => client.keys.create({ name, intake: true })),
  );
  [keyId, otherKeyId] = [key?.key_id ?? '', other?.key_id ?? ''];
  for (const id of [keyId, otherKeyId]) await client.keys.rotate({ key_id: id });
  const { intakePublicKey } = await client.publicKey(keyId);
  intake = createIntake({ publicKey: intakePublicKey ?? '' });
});

afterAll(async () => {
  await client.close();
  await world.close();
});

async function codesOf(
  ciphertexts: readonly Uint8Array[],
  accepted = [keyId, otherKeyId],
): Promise<string[]> {
  const codes: string[] = [];
  for (let start = 0; start < ciphertexts.length; start += 100) {
    const part = ciphertexts.slice(start, start + 100);
    const results = await client.decryptMany(part, { keyId: accepted, context });
    codes.push(...results.map((result) => (result.ok ? 'opened' : result.error.code)));
  }
  return codes;
}

function changed(envelope: Uint8Array, at: number, ...bytes: readonly number[]): Uint8Array {
  const copy = new Uint8Array(envelope);
  copy.set(bytes, at);
  return copy;
}

test.each([0, 1, 300])(
  'an envelope of %d plaintext bytes does not open with any changed byte',
  async (size) => {
    const envelope = await intake.encrypt(crypto.getRandomValues(new Uint8Array(size)), {
      as: 'bytes',
      context,
    });
    expect(envelope).toHaveLength(1_260 + size);
    expect(await codesOf([envelope])).toEqual(['opened']);
    const flipped = Array.from(envelope, (byte, at) => changed(envelope, at, byte ^ (1 << (at % 8))));
    const codes = await codesOf(flipped);
    const ofFormat = (at: number): boolean => at < 4 || (lengthAt <= at && at < wrappedAt);
    expect(
      codes.flatMap((code, at) => (code === 'decryption' || ofFormat(at) ? [] : `${code} at ${at}`)),
    ).toEqual([]);
    expect(new Set(codes.filter((_, at) => ofFormat(at)))).toEqual(new Set(['format', 'decryption']));
  },
);

test('an envelope does not open under another key, version or context', async () => {
  const envelope = await intake.encrypt('Ada', { as: 'bytes', context });
  const idOf = (id: string): number[] => Array.from(Buffer.from(id.replaceAll('-', ''), 'hex'));
  const ofOtherKey = changed(envelope, 4, ...idOf(otherKeyId));
  const ofOtherVersion = changed(envelope, versionAt, 0, 0, 0, 1);
  const movedToOtherVersion = changed(ofOtherVersion, wrappedAt + 2, 0, 0, 0, 1);
  const withOtherHead = changed(envelope, wrappedAt + 2, 0, 0, 0, 1);
  const withoutPoint = changed(envelope, wrappedAt + 6 + 1_088, ...new Uint8Array(32));
  const altered = [ofOtherKey, ofOtherVersion, movedToOtherVersion, withOtherHead, withoutPoint];
  expect(await codesOf(altered)).toEqual(altered.map(() => 'decryption'));
  expect(await codesOf([envelope], [otherKeyId])).toEqual(['decryption']);
  for (const other of [undefined, {}, { ...context, submission: '18' }, { form: 'contact' }]) {
    await expect(client.decrypt(envelope, { keyId, context: other })).rejects.toMatchObject({
      code: 'decryption',
    });
  }
  await expect(client.decrypt(envelope, { keyId, context, wrapContext: context })).rejects.toMatchObject({
    code: 'decryption',
  });
  expect(await client.decrypt(envelope, { keyId, context, as: 'text' })).toBe('Ada');
});
