import { toBase64 } from '@eaas/protocol/base64';
import type { EnvelopeClient } from '@eaas/sdk';
import { sha256Hex } from '@eaas/test-kit/webcrypto-opener';
import type { Case, Scene } from '@eaas/test-kit/runtimes/case';
import { fromHex, holds, refused, same, valueOf } from './expect.ts';
import { replacing } from './replacing.ts';

interface Evaluation {
  readonly key_id: string;
  readonly evaluated: readonly string[];
  readonly proof: string;
  readonly public_key: string;
}

const values = [
  'ada@example.com',
  '',
  'naïve 🦜 \u0000 ﷽',
  Uint8Array.of(0, 255, 1),
  'x'.repeat(100_000),
  ...Array.from({ length: 6 }, (_, at) => `value ${at}`),
];

export async function textOfFingerprints(client: EnvelopeClient): Promise<string> {
  const hashes = (await client.blindHashMany(values)).map(valueOf);
  return sha256Hex(new TextEncoder().encode(hashes.join()));
}

export const blindHashCases: readonly Case[] = [
  ...(([undefined, 'noble'] as const).map((engines) => ({
    name: `blindHashMany reproduces every vector with the engine ${engines ?? 'of the platform'}`,
    run: (scene) => reproduce(scene, engines),
  })) satisfies Case[]),
  {
    name: 'a fingerprint does not depend on the runtime, the engine or the number of values in a request',
    run: async ({ connectToCommon }) => {
      const client = connectToCommon();
      const hashes = (await client.blindHashMany(values)).map(valueOf);
      same(new Set(hashes).size, values.length, 'the number of fingerprints');
      for (const at of [0, 1, 3]) same(await client.blindHash(values[at] ?? ''), hashes[at], `value ${at}`);
      const byNoble = await connectToCommon({ engines: 'noble' }).blindHashMany(values.slice(0, 4));
      same(byNoble.map(valueOf), hashes.slice(0, 4), 'the fingerprints by noble');
      return textOfFingerprints(client);
    },
  },
  {
    name: 'no element is sent twice, and one invalid value fails alone',
    run: async ({ connect }) => {
      const sent: string[] = [];
      const client = connect({
        fetch: async (input, init) => {
          const request = new Request(input, init);
          const { elements } = (await request.clone().json()) as { elements: string[] };
          sent.push(...elements);
          return fetch(request);
        },
      });
      const [one, invalid, two] = await client.blindHashMany(['Ada', '\ud800', 'Grace']);
      same(invalid?.ok === false && invalid.error.code, 'input', 'the code of the invalid value');
      holds(valueOf(one) !== valueOf(two), 'two values have one fingerprint');
      same(await client.blindHash('Ada'), valueOf(one), 'the fingerprint of the second request');
      same([sent.length, new Set(sent).size], [3, 3], 'the number of elements');
    },
  },
  {
    name: 'a response that was evaluated with another key gives no fingerprint',
    run: async (scene) => {
      const { connect, keyId } = scene;
      const ofOther = (response: (ours: Evaluation, theirs: Evaluation) => Evaluation) =>
        connect({ fetch: answering(scene, response) });
      const onlyElements = ofOther((ours, { evaluated }) => ({ ...ours, evaluated }));
      await refused(() => onlyElements.blindHash('Ada'), 'proof_invalid');
      const withoutPublicKey = ofOther(({ public_key }, theirs) => ({
        ...theirs,
        key_id: keyId,
        public_key,
      }));
      await refused(() => withoutPublicKey.blindHash('Ada'), 'proof_invalid');
      let isOther = false;
      const later = ofOther((ours, theirs) => (isOther ? { ...theirs, key_id: keyId } : ours));
      same(await later.blindHash('Ada'), await connect().blindHash('Ada'), 'the fingerprint');
      isOther = true;
      await refused(() => later.blindHash('Ada'), 'public_key_changed');
      const [hash] = await later.blindHashMany(['Ada', 'Grace']);
      same(hash?.ok === false && hash.error.code, 'public_key_changed', 'the code of one of many values');
    },
  },
];

async function reproduce(
  { connect, vectors: { blindHashes } }: Scene,
  engines: 'noble' | undefined,
): Promise<void> {
  const { key_id: keyId, public_key, cases } = blindHashes;
  const hashPublicKeys = { [keyId]: toBase64(fromHex(public_key)) };
  // Loading the code for blind hashes reads 48 random bytes. This call loads the code early, because the next random
  // bytes must be the blind of the first test vector.
  await connect({ engines }).blindHash('Ada');
  for (const { name, values: given, blinds, request, response, hashes } of cases) {
    const client = connect({
      engines,
      keyId,
      hashPublicKeys,
      fetch: async (input, init) => {
        same(await new Request(input, init).json(), request, `the request of ${name}`);
        return Response.json(response);
      },
    });
    const results = await drawing(blinds, () => client.blindHashMany(given.map(fromHex)));
    same(results.map(valueOf), hashes, `the fingerprints of ${name}`);
  }
}

/** A blind is 48 random bytes modulo n − 1, plus 1, where n is the order of P-256. */
function drawing<T>(blinds: readonly string[], work: () => Promise<T>): Promise<T> {
  const generate = crypto.getRandomValues.bind(crypto);
  const rest = blinds.map((hex) => (BigInt(`0x${hex}`) - 1n).toString(16).padStart(96, '0'));
  const draw = (array: Uint8Array<ArrayBuffer>): Uint8Array => {
    if (array.length !== 48) return generate(array);
    array.set(fromHex(rest.shift() ?? ''));
    return array;
  };
  return replacing(crypto, 'getRandomValues', draw, work);
}

/**
 * Sends each request twice: for `keyId` and for `otherKeyId`. `response` makes the response for the client from the two
 * responses of the service.
 */
function answering(
  { keyId, otherKeyId }: Scene,
  response: (ours: Evaluation, theirs: Evaluation) => Evaluation,
): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { elements } = (await request.json()) as { elements: string[] };
    const ask = async (key_id: string): Promise<Evaluation> => {
      const body = JSON.stringify({ key_id, elements });
      const answer = await fetch(request.url, { method: 'POST', headers: request.headers, body });
      return (await answer.json()) as Evaluation;
    };
    return Response.json(response(await ask(keyId), await ask(otherKeyId)));
  };
}
