import { createHash, randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { pae } from '@eaas/protocol';
import { p256, p256_oprf } from '@noble/curves/nist.js';
import { afterEach, expect, test, vi } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { defineFields, text } from '../fields/fields.ts';

const { Point } = p256;
const value = `canary ${randomUUID()}`;
const digest = createHash('sha256').update(value).digest();
const input = pae('eaas blind hash v1', digest);
const consoleMethods = ['debug', 'info', 'log', 'warn', 'error'] as const;

type Answer = Record<'evaluated' | 'elements', string[]> & { public_key: string };

afterEach(() => vi.restoreAllMocks());

const failures: Readonly<Record<string, (answer: Answer) => Response>> = {
  proof_invalid: (answer) => Response.json({ ...answer, evaluated: [answer.public_key] }),
  public_key_changed: (answer) => Response.json({ ...answer, public_key: answer.evaluated[0] }),
  invalid_response: () => new Response('<html>'),
  key_state: () => Response.json({ status: 409, code: 'key_state', detail: 'no' }, { status: 409 }),
  network: () => {
    throw new TypeError('fetch failed');
  },
};

/** Records the random bytes from which the client makes its blinds (48 bytes for each blind). */
function watchRandomness(): Uint8Array[] {
  const drawn: Uint8Array[] = [];
  const generate = crypto.getRandomValues.bind(crypto);
  vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
    generate(array);
    if (array instanceof Uint8Array && array.length === 48) drawn.push(array.slice());
    return array;
  });
  return drawn;
}

/**
 * Returns the secrets of a blind hash, which no request may contain: the blind, the value's point, and this point
 * multiplied by the secret of the key.
 */
function hiddenPoints(drawn: readonly Uint8Array[], element: string, evaluated: string, hash: string) {
  for (const random of drawn) {
    const { blind, blinded } = p256_oprf.voprf.blind(input, () => random);
    if (Buffer.from(blinded).toString('base64') !== element) continue;
    const inverse = Point.Fn.inv(Point.Fn.fromBytes(blind));
    const [point, unblinded] = [element, evaluated].map((encoded) =>
      Point.fromBytes(Buffer.from(encoded, 'base64')).multiply(inverse),
    );
    if (!point || !unblinded) break;
    const lengthOf = (bytes: Uint8Array) => Uint8Array.of(bytes.length >> 8, bytes.length);
    const output = unblinded.toBytes();
    const parts = [lengthOf(input), input, lengthOf(output), output, 'Finalize'];
    const expected = parts.reduce((sum, part) => sum.update(part), createHash('sha256')).digest('hex');
    expect(expected).toBe(hash);
    return { blind, point, unblinded };
  }
  throw new Error('no recorded random bytes produce the blinded point that the client sent');
}

test('no request, event, log line or error shows a value, or the point, blind or fingerprint of the value', async () => {
  const shown: unknown[] = [];
  const drawn = watchRandomness();
  for (const method of consoleMethods) {
    vi.spyOn(console, method).mockImplementation((...line) => void shown.push(line));
  }
  const log = (...line: unknown[]) => void shown.push(line);
  const hashes: string[] = [];
  const answers: Answer[] = [];
  let failure: ((answer: Answer) => Response) | undefined;
  const { client, service, events } = observedClient({
    retries: 0,
    logger: { debug: log, warn: log },
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const body = await request.clone().text();
      shown.push(request.url, [...request.headers], body);
      const answer = (await (await service.fetch(request)).json()) as Answer;
      answers.push({ ...answer, ...(JSON.parse(body) as Pick<Answer, 'elements'>) });
      return failure?.(answer) ?? Response.json(answer);
    },
  });
  hashes.push(await client.blindHash(value));
  for (const [code, respond] of Object.entries(failures)) {
    failure = respond;
    const error: unknown = await client.blindHash(value).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code });
    const [settled] = await client.blindHashMany([value]);
    const records = defineFields({ users: { name: text().searchable() } }).for(client, { index: 'blind' });
    const ofField: unknown = await records.where('users', { name: value }).catch((reason: unknown) => reason);
    expect(ofField).toMatchObject({ name: 'FieldError', code });
    shown.push(error, settled, ofField);
  }
  const aborting = client.blindHash(value, { signal: AbortSignal.abort() });
  shown.push(await aborting.catch((reason: unknown) => reason), events);
  const [element = '', evaluated = ''] = [answers[0]?.elements[0], answers[0]?.evaluated[0]];
  const { blind, point, unblinded } = hiddenPoints(drawn, element, evaluated, hashes[0] ?? '');
  const everything = inspect(shown, { depth: 10, maxStringLength: Infinity, maxArrayLength: Infinity });
  for (const known of [element, 'proof_invalid', 'hash/blind', 'eaas call'])
    expect(everything).toContain(known);
  const secrets: Readonly<Record<string, Uint8Array>> = {
    value: Buffer.from(value),
    digest,
    input,
    blind,
    hash: Buffer.from(hashes[0] ?? '', 'hex'),
    point: point.toBytes(),
    'x of the point': Point.Fp.toBytes(point.x),
    'unblinded point': unblinded.toBytes(),
    'x of the unblinded point': Point.Fp.toBytes(unblinded.x),
  };
  for (const [name, secret] of Object.entries(secrets)) {
    const hex = Buffer.from(secret).toString('hex');
    const spellings = [
      hex,
      Buffer.from(secret).toString('base64'),
      BigInt(`0x${hex}`).toString(),
      secret.join(', '),
    ];
    const found = [value, ...spellings].filter((spelling) => everything.includes(spelling));
    expect({ name, found }).toEqual({ name, found: [] });
  }
});
