import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { anyContext, anyView } from '@eaas/test-kit/arbitraries';
import { engines } from '../test/engines.ts';
import { keyService } from '../test/key-service.ts';
import { runs } from '@eaas/test-kit/cases';
import { type Context, encodeContext } from './context.ts';
import type { SyncEngine } from './engines/engine.ts';
import { nobleEngine } from './engines/noble.ts';
import { looksLikeEnvelope, parseEnvelope } from './envelope.ts';
import { DecryptionError, FormatError, InputError } from './errors.ts';
import { open, seal, type Unwrap } from './seal.ts';
import { toUtf8 } from './text.ts';

const keyId = '00000000-0000-4000-8000-000000000002';
const otherId = '00000000-0000-4000-8000-000000000003';
const { wrap, unwrap } = keyService(keyId, 3);
const anyEngine = fc.constantFrom(...engines);

test('any view of memory with any context is the same after encryption and decryption, by any engines', async () => {
  const given = fc.tuple(anyView, fc.nat(7), anyContext, anyEngine, anyEngine);
  await fc.assert(
    fc.asyncProperty(given, async ([plaintext, offset, context, sealer, opener]) => {
      const envelope = await seal(plaintext, wrap, { context, engine: sealer });
      const moved = new Uint8Array(offset + envelope.length + 5).fill(0xee);
      moved.set(envelope, offset);
      const through = moved.subarray(offset, offset + envelope.length);
      const opened = await open(through, unwrap, { keyId, context, engine: opener });
      expect(Buffer.from(opened).equals(plaintext)).toBe(true);
      expect(looksLikeEnvelope(through)).toBe(true);
      expect(looksLikeEnvelope(through.subarray(1))).toBe(false);
      expect(looksLikeEnvelope(Uint8Array.of(through[0] ?? 0, 0, 0))).toBe(false);
    }),
    { numRuns: runs(300) },
  );
});

describe('seal', () => {
  test('`seal` uses a new data key and a new iv for each message', async () => {
    const envelopes = await Promise.all(Array.from({ length: 300 }, () => seal(toUtf8('x'), wrap)));
    const hex = (part: Uint8Array): string => Buffer.from(part).toString('hex');
    const parsed = envelopes.map(parseEnvelope);
    expect(new Set(parsed.map(({ commitment }) => hex(commitment))).size).toBe(300);
    expect(new Set(parsed.map(({ iv }) => hex(iv))).size).toBe(300);
  });

  test('`seal` overwrites the data key afterwards, even if wrapping or encryption fails', async () => {
    const deks: Uint8Array[] = [];
    const keys: Uint8Array[] = [];
    const remember = (dek: Uint8Array) => (deks.push(dek), wrap(dek));
    const engine: SyncEngine = {
      ...nobleEngine,
      importKey(bytes) {
        const key = nobleEngine.importKey(bytes);
        keys.push(key);
        return key;
      },
    };
    await seal(toUtf8('x'), remember, { engine });
    await expect(
      seal(toUtf8('x'), (dek) => (deks.push(dek), Promise.reject(new Error('no service')))),
    ).rejects.toThrow('no service');
    await expect(seal(toUtf8('x'), remember, { engine, context: { '': '' } })).rejects.toThrow(InputError);
    expect(deks.map((dek) => dek.every((byte) => byte === 0))).toEqual([true, true, true]);
    expect(keys).toEqual([new Uint8Array(32), new Uint8Array(32)]);
  });
});

describe('open', () => {
  test('`open` accepts an expected key id in upper case, a list of key ids, or `anyKey`', async () => {
    const envelope = await seal(toUtf8('x'), wrap);
    for (const expected of [
      { keyId: keyId.toUpperCase() },
      { keyId: [otherId, keyId] },
      { anyKey: true as const },
    ]) {
      expect(await open(envelope, unwrap, expected)).toEqual(toUtf8('x'));
    }
  });

  test('the error of `open` for another version names it, and the package to update', async () => {
    const envelope = await seal(toUtf8('x'), wrap);
    envelope[3] = 3;
    await expect(open(envelope, unwrap, { keyId })).rejects.toThrow(
      'envelope version 3 is of a newer Eaas, or damaged: update `@eaas/sdk`',
    );
  });

  test('`open` refuses an unexpected key before it calls `unwrap`', async () => {
    const envelope = await seal(toUtf8('x'), wrap);
    const asked = vi.fn<Unwrap>(unwrap);
    await expect(open(envelope, asked, { keyId: otherId })).rejects.toThrow(DecryptionError);
    await expect(open(envelope, asked, { keyId: [] })).rejects.toThrow(InputError);
    await expect(open(envelope, asked, {} as { keyId: string })).rejects.toThrow(InputError);
    expect(asked).not.toHaveBeenCalled();
  });

  test('for another key, the error of `open` names the key of the envelope and the expected keys', async () => {
    const envelope = await seal(toUtf8('x'), wrap);
    await expect(open(envelope, unwrap, { keyId: otherId })).rejects.toMatchObject({
      keyId,
      acceptedKeyIds: [otherId],
      message:
        `decryption failed: the value is under the key ${keyId.slice(0, 8)}, and only ` +
        `${otherId.slice(0, 8)} is accepted (is it from another environment?)`,
    });
  });

  test('the error of `open` for another key is short, and shows no id that is not one', async () => {
    const envelope = await seal(toUtf8('x'), wrap);
    const many = Array.from({ length: 1_000 }, (_, at) => otherId.replace(/^.{8}/, String(10_000_000 + at)));
    const error = await open(envelope, unwrap, { keyId: many }).catch((thrown: unknown) => thrown as Error);
    expect((error as Error).message.length).toBeLessThan(500);
    await expect(open(envelope, unwrap, { keyId: 'a secret' })).rejects.not.toThrow('a secret');
  });

  test('`open` throws the same error message for every failure of the decryption', async () => {
    const envelope = await seal(toUtf8('x'), wrap);
    const altered = envelope.slice();
    altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1;
    const message = (opening: Promise<unknown>) =>
      opening.catch((error: unknown) => (error as Error).message);
    const messages = [
      await message(open(envelope, unwrap, { keyId, context: { a: 'b' } })),
      await message(open(envelope, () => new Uint8Array(32), { keyId })),
      await message(open(altered, unwrap, { keyId })),
    ];
    expect(new Set(messages).size).toBe(1);
  });
});

describe.each(engines)('an altered envelope, with $name', (engine) => {
  const context = { table: 'patients' };
  const options = { context, engine, keyId };
  const thrownBy = (opening: Promise<unknown>): Promise<unknown> => opening.catch((error: unknown) => error);

  test('does not decrypt if any bit was flipped', async () => {
    const envelope = await seal(toUtf8('secret'), wrap, { context, engine });
    for (let bit = 0; bit < envelope.length * 8; bit++) {
      const altered = envelope.slice();
      altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(await thrownBy(open(altered, unwrap, options))).toBeInstanceOf(Error);
    }
  });

  test('does not decrypt if it was truncated anywhere or a byte was added', async () => {
    const envelope = await seal(toUtf8('secret'), wrap, { context, engine });
    for (const length of envelope.keys()) {
      const error = await thrownBy(open(envelope.subarray(0, length), unwrap, options));
      expect([FormatError, DecryptionError]).toContain((error as Error).constructor);
    }
    const longer = Buffer.concat([envelope, Buffer.of(0)]);
    expect(await thrownBy(open(longer, unwrap, options))).toBeInstanceOf(DecryptionError);
  });

  test('does not decrypt with another context', async () => {
    const encodedOf = (one?: Context) => Buffer.from(encodeContext(one));
    const different = fc.tuple(anyContext, anyContext).filter(([a, b]) => !encodedOf(a).equals(encodedOf(b)));
    await fc.assert(
      fc.asyncProperty(different, async ([own, another]) => {
        const envelope = await seal(toUtf8('secret'), wrap, { context: own, engine });
        const opening = open(envelope, unwrap, { keyId, engine, context: another });
        expect(await thrownBy(opening)).toBeInstanceOf(DecryptionError);
      }),
      { numRuns: runs(30) },
    );
  });
});
