// Values beside the libraries that people would use instead, which it installs into a temporary directory.
import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '@eaas/test-kit/program';
import { gcm } from '@noble/ciphers/aes.js';
import { type Benchmark, type Comparison, pick } from './compare.ts';
import { primedClient, workOf } from './fields.bench.ts';

export const benchmark: Benchmark = {
  name: 'libraries',
  about: 'texts of 1 KiB, encrypted to base64 and decrypted, with a key in memory',
  async comparisons(defer) {
    const directory = mkdtempSync(join(tmpdir(), 'eaas-libraries-'));
    defer(() => rmSync(directory, { recursive: true, force: true }));
    return besideLibraries(directory);
  },
};

interface Library {
  readonly encrypt: (text: string) => unknown;
  readonly decrypt: (ciphertext: string) => unknown;
}

const packages = ['@47ng/cloak@1.2.0', 'jose@6.1.0', '@aws-crypto/client-node@4.2.1'];

async function besideLibraries(directory: string): Promise<Comparison[]> {
  const { code, stderr } = await run(
    ['npm', 'install', '--prefix', directory, '--no-audit', '--no-fund', '--ignore-scripts', ...packages],
    {},
  );
  if (code !== 0) throw new Error(`the libraries cannot be installed: ${stderr}`);
  const texts = Array.from({ length: 256 }, () => randomBytes(512).toString('hex'));
  const ours = await workOf(await primedClient(), texts);
  const comparisons: Comparison[] = [];
  for (const [name, { encrypt, decrypt }] of Object.entries(await librariesIn(directory))) {
    const ciphertexts = (await Promise.all(texts.map(encrypt))) as string[];
    if ((await decrypt(ciphertexts[0] ?? '')) !== texts[0]) throw new Error(`${name} did not decrypt`);
    const [text, ciphertext] = [pick(texts), pick(ciphertexts)];
    comparisons.push(
      {
        ours: { name: 'encrypt', run: ours.encrypt },
        reference: { name, run: (call) => encrypt(text(call)) },
      },
      {
        ours: { name: 'decrypt', run: ours.decrypt },
        reference: { name, run: (call) => decrypt(ciphertext(call)) },
      },
    );
  }
  return comparisons;
}

/** Each as its documentation shows it, with its key in memory; that of AWS without signatures, which nobody else makes. */
async function librariesIn(directory: string): Promise<Record<string, Library>> {
  const require = createRequire(join(directory, 'index.js'));
  const load = async <T>(name: string): Promise<T> => (await import(require.resolve(name))) as T;
  const key = randomBytes(32);
  const cloak = await load<Cloak>('@47ng/cloak');
  const cloakKey = cloak.parseKeySync(`k1.aesgcm256.${key.toString('base64url')}=`);
  const jose = await load<Jose>('jose');
  const secret = createSecretKey(key);
  const aws = await load<Aws>('@aws-crypto/client-node');
  const sdk = aws.buildClient('REQUIRE_ENCRYPT_REQUIRE_DECRYPT');
  const keyring = new aws.RawAesKeyringNode({
    keyName: 'benchmark',
    keyNamespace: 'eaas',
    unencryptedMasterKey: new Uint8Array(key),
    wrappingSuite: aws.RawAesWrappingSuiteIdentifier.AES256_GCM_IV12_TAG16_NO_PADDING,
  });
  const cache = aws.getLocalCryptographicMaterialsCache(10_000);
  const manager = new aws.NodeCachingMaterialsManager({
    backingMaterials: keyring,
    cache,
    maxAge: 86_400_000,
  });
  const suiteId = aws.AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY;
  return {
    '@47ng/cloak': {
      encrypt: (text) => cloak.encryptString(text, cloakKey),
      decrypt: (ciphertext) => cloak.decryptString(ciphertext, cloakKey),
    },
    'noble, bare': {
      encrypt: (text) => {
        const iv = randomBytes(12);
        return Buffer.concat([iv, gcm(key, iv).encrypt(Buffer.from(text))]).toString('base64');
      },
      decrypt: (ciphertext) => {
        const bytes = Buffer.from(ciphertext, 'base64');
        return Buffer.from(gcm(key, bytes.subarray(0, 12)).decrypt(bytes.subarray(12))).toString();
      },
    },
    jose: {
      encrypt: (text) =>
        new jose.CompactEncrypt(Buffer.from(text))
          .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
          .encrypt(secret),
      decrypt: async (ciphertext) =>
        Buffer.from((await jose.compactDecrypt(ciphertext, secret)).plaintext).toString(),
    },
    'AWS Encryption SDK': {
      encrypt: async (text) => (await sdk.encrypt(manager, text, { suiteId })).result.toString('base64'),
      decrypt: async (ciphertext) =>
        (await sdk.decrypt(manager, Buffer.from(ciphertext, 'base64'))).plaintext.toString(),
    },
  };
}

interface Cloak {
  parseKeySync(key: string): object;
  encryptString(text: string, key: object): Promise<string>;
  decryptString(ciphertext: string, key: object): Promise<string>;
}
interface Jose {
  CompactEncrypt: new (text: Uint8Array) => {
    setProtectedHeader(header: object): { encrypt(key: object): Promise<string> };
  };
  compactDecrypt(ciphertext: string, key: object): Promise<{ readonly plaintext: Uint8Array }>;
}
interface Aws {
  buildClient(policy: string): {
    encrypt(manager: object, text: string, options: object): Promise<{ readonly result: Buffer }>;
    decrypt(manager: object, bytes: Buffer): Promise<{ readonly plaintext: Buffer }>;
  };
  AlgorithmSuiteIdentifier: { readonly ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY: unknown };
  RawAesKeyringNode: new (options: object) => object;
  RawAesWrappingSuiteIdentifier: { readonly AES256_GCM_IV12_TAG16_NO_PADDING: unknown };
  getLocalCryptographicMaterialsCache(capacity: number): object;
  NodeCachingMaterialsManager: new (options: object) => object;
}
