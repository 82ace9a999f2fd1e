import { type Engine, open } from '@eaas/protocol';
import { openStream, sealStream } from '@eaas/protocol/stream';
import { plaintextOf, refusedBytes } from '@eaas/test-kit/stream-cases';
import type { StreamCase } from '@eaas/test-kit/vectors';
import { fromBase64 as bytes, sha256Hex } from '@eaas/test-kit/bytes';
import type { Cases } from '@eaas/test-kit/runtimes/case';
import { refused, same } from './expect.ts';
import { replacing } from './replacing.ts';
import { through } from './streams.ts';

export const engineCases = (name: string): Cases => ({
  [`${name}: encrypts and decrypts every vector of the envelope`]: async ({ engines, vectors }) => {
    const engine = engineOf(engines, name);
    for (const vector of vectors.messages.cases) {
      const key = await engine.importKey(bytes(vector.encryption_key));
      const plaintext = bytes(vector.plaintext);
      const body = new Uint8Array(plaintext.length + 16);
      await engine.encrypt(key, bytes(vector.iv), bytes(vector.aad), plaintext, body);
      const ciphertext = bytes(vector.ciphertext);
      same(body, ciphertext.slice(-body.length), vector.name);
      same(await openBy(engine, vector, vector.key_id), plaintext, `${vector.name}, opened`);
    }
    for (const vector of vectors.messages.accepted_changes) {
      const opened = await openBy(engine, vector, vector.expected_key_id);
      same(opened, bytes(vector.plaintext), vector.name);
    }
  },
  [`${name}: refuses every refused vector with the code of the vector`]: async ({ engines, vectors }) => {
    const engine = engineOf(engines, name);
    for (const refusal of vectors.messages.refusals) {
      await refused(() => openBy(engine, refusal, refusal.expected_key_id), refusal.error);
    }
    for (const refusal of vectors.streams.refusals) {
      const altered = refusedBytes(refusal, vectors.streams.cases);
      await refused(() => openStreamBy(engine, refusal, altered), refusal.error);
    }
  },
  [`${name}: encrypts and decrypts every vector of the stream`]: async ({ engines, vectors }) => {
    const engine = engineOf(engines, name);
    for (const vector of vectors.streams.cases) {
      const plaintext = plaintextOf(vector);
      const options = { engine, context: vector.context ?? undefined };
      const seal = () =>
        through(
          sealStream(() => wrappedOf(vector), options),
          plaintext,
        );
      const sealed = await drawing([vector.dek, vector.salt].map(bytes), seal);
      same(await sha256(sealed), vector.ciphertext_sha256, vector.name);
      const opened = await openStreamBy(engine, { ...vector, expected_key_id: vector.key_id }, sealed);
      same(opened.length, plaintext.length, `the length of ${vector.name}, opened`);
      same(await sha256(opened), await sha256(plaintext), `${vector.name}, opened`);
    }
  },
});

interface Opening {
  readonly dek: string;
  readonly context: Readonly<Record<string, string>> | null;
}

function engineOf(engines: readonly Engine[], name: string): Engine {
  const engine = engines.find((known) => known.name === name);
  if (!engine) throw new Error(`no engine has the name ${name}`);
  return engine;
}

const expecting = (id: string | null) => (id === null ? { anyKey: true as const } : { keyId: id });

function openBy(
  engine: Engine,
  from: Opening & { ciphertext: string },
  id: string | null,
): Promise<Uint8Array> {
  const { dek, context, ciphertext } = from;
  const options = { engine, context: context ?? undefined, ...expecting(id) };
  return open(bytes(ciphertext), () => bytes(dek), options);
}

function openStreamBy(
  engine: Engine,
  { dek, context, expected_key_id: id }: Opening & { expected_key_id: string | null },
  sealed: Uint8Array,
): Promise<Uint8Array> {
  const options = { engine, context: context ?? undefined, ...expecting(id) };
  return through(
    openStream(() => bytes(dek), options),
    sealed,
  );
}

function wrappedOf({ key_id: keyId, key_version: keyVersion, wrapped_key }: StreamCase) {
  return { keyId, keyVersion, wrappedKey: bytes(wrapped_key) };
}

async function drawing<T>(drawn: Uint8Array[], work: () => Promise<T>): Promise<T> {
  const draw = (array: Uint8Array): Uint8Array => {
    array.set(drawn.shift() ?? []);
    return array;
  };
  return replacing(crypto, 'getRandomValues', draw, work);
}

function sha256(content: Uint8Array): Promise<string> {
  return sha256Hex(content as Uint8Array<ArrayBuffer>);
}
