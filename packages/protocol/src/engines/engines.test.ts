import { createDecipheriv } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { anyView } from '@eaas/test-kit/arbitraries';
import { engines } from '../../test/engines.ts';
import type { Engine } from './engine.ts';
import { nobleEngine } from './noble.ts';
import { nodeEngine } from './node.ts';

const hex = (bytes: string): Uint8Array => Buffer.from(bytes, 'hex');
const keyBytes = new Uint8Array(32).fill(7);
const iv = new Uint8Array(12).fill(9);

async function encrypt(engine: Engine, ...[key, nonce, aad, plaintext]: Input): Promise<Uint8Array> {
  const around = new Uint8Array(plaintext.length + 16 + 5).fill(0xee);
  await engine.encrypt(key, nonce, aad, plaintext, around.subarray(2, -3));
  expect([...around.subarray(0, 2), ...around.subarray(-3)]).toEqual(Array.from({ length: 5 }, () => 0xee));
  return around.slice(2, -3);
}
type Input = [key: unknown, iv: Uint8Array, aad: Uint8Array, plaintext: Uint8Array];

test('the engine of node:crypto overwrites a plaintext that is not authentic', async () => {
  const body = await encrypt(nobleEngine, keyBytes, iv, hex(''), new Uint8Array(20).fill(5));
  const decipher = createDecipheriv('aes-256-gcm', keyBytes, iv);
  const update = vi.spyOn(Object.getPrototypeOf(decipher) as typeof decipher, 'update');
  expect(nodeEngine.decrypt(nodeEngine.importKey(keyBytes), iv, hex('00'), body)).toBeUndefined();
  expect(update.mock.results.map(({ value }) => value as unknown)).toEqual([Buffer.alloc(20)]);
  update.mockRestore();
});

describe.each(engines)('$name', (engine) => {
  test('the engine passes test cases 14 and 16 of the specification of AES-256-GCM', async () => {
    const zeros = await engine.importKey(new Uint8Array(32));
    const one = await encrypt(engine, zeros, new Uint8Array(12), hex(''), new Uint8Array(16));
    expect(Buffer.from(one).toString('hex')).toBe(
      'cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919',
    );
    const key = await engine.importKey(
      hex('feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308'),
    );
    const plaintext = hex(
      'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
    );
    const aad = hex('feedfacedeadbeeffeedfacedeadbeefabaddad2');
    const two = await encrypt(engine, key, hex('cafebabefacedbaddecaf888'), aad, plaintext);
    expect(Buffer.from(two).toString('hex')).toBe(
      '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838' +
        'c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b',
    );
  });

  test('the engine encrypts and decrypts bytes that are a view of a larger buffer', async () => {
    const key = await engine.importKey(Buffer.from(new Uint8Array(40).fill(7)).subarray(3, 35));
    const shown = new Uint8Array(20).fill(9).subarray(5, 17);
    await fc.assert(
      fc.asyncProperty(anyView, anyView, async (plaintext, aad) => {
        const body = await encrypt(engine, key, shown, aad, plaintext);
        const same = await encrypt(nobleEngine, keyBytes, iv, aad.slice(), plaintext.slice());
        expect(Buffer.from(body).equals(same)).toBe(true);
        const moved = Buffer.concat([Buffer.of(1, 2, 3), body]).subarray(3);
        const opened = await engine.decrypt(key, shown, aad, moved);
        expect(opened && Buffer.from(opened).equals(plaintext)).toBe(true);
      }),
    );
  });

  test('the engine encrypts and decrypts bytes in a SharedArrayBuffer', async () => {
    const key = await engine.importKey(keyBytes);
    const plaintext = new Uint8Array(new SharedArrayBuffer(5)).fill(3);
    const body = await encrypt(engine, key, iv, hex(''), plaintext);
    expect(await engine.decrypt(key, iv, hex(''), body)).toEqual(new Uint8Array(5).fill(3));
  });

  test.each([0, 4, 8, 12, 13, 15])('the engine accepts no tag that is cut to %d bytes', async (tag) => {
    const key = await engine.importKey(keyBytes);
    for (let plain = 0; plain <= 20; plain++) {
      const body = await encrypt(engine, key, iv, hex(''), new Uint8Array(plain));
      expect(await engine.decrypt(key, iv, hex(''), body.subarray(0, plain + tag))).toBeUndefined();
    }
  });
});
