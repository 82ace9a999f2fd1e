import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Context } from '@eaas/protocol';
import { requireTools } from '../setup/tools.ts';

export interface Peer {
  readonly name: string;
  readonly encrypt: (text: string) => Promise<string>;
  readonly decrypt: (ciphertext: string) => Promise<string>;
}

interface Cloak {
  readonly generateKey: () => string;
  readonly parseKey: (key: string) => Promise<object>;
  readonly encryptString: (text: string, key: object) => Promise<string>;
  readonly decryptString: (ciphertext: string, key: object) => Promise<string>;
}

interface AwsEncryptionSdk {
  readonly CommitmentPolicy: { readonly REQUIRE_ENCRYPT_REQUIRE_DECRYPT: string };
  readonly AlgorithmSuiteIdentifier: { readonly ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY: number };
  readonly RawAesWrappingSuiteIdentifier: { readonly AES256_GCM_IV12_TAG16_NO_PADDING: number };
  readonly RawAesKeyringNode: new (options: object) => object;
  readonly NodeCachingMaterialsManager: new (options: object) => object;
  readonly getLocalCryptographicMaterialsCache: (capacity: number) => object;
  readonly buildClient: (policy: string) => {
    readonly encrypt: (manager: object, text: string, options: object) => Promise<{ result: Buffer }>;
    readonly decrypt: (manager: object, ciphertext: Buffer) => Promise<{ plaintext: Buffer }>;
  };
}

export async function cloak(): Promise<Peer> {
  const { generateKey, parseKey, encryptString, decryptString } = await load<Cloak>('@47ng/cloak');
  const key = await parseKey(generateKey());
  return {
    name: '@47ng/cloak',
    encrypt: (text) => encryptString(text, key),
    decrypt: (ciphertext) => decryptString(ciphertext, key),
  };
}

export async function awsEncryptionSdk(context: Context = {}): Promise<Peer> {
  const aws = await load<AwsEncryptionSdk>('@aws-crypto/client-node');
  const { encrypt, decrypt } = aws.buildClient(aws.CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT);
  const keyring = new aws.RawAesKeyringNode({
    keyName: 'bench',
    keyNamespace: 'bench',
    unencryptedMasterKey: randomBytes(32),
    wrappingSuite: aws.RawAesWrappingSuiteIdentifier.AES256_GCM_IV12_TAG16_NO_PADDING,
  });
  const manager = new aws.NodeCachingMaterialsManager({
    backingMaterials: keyring,
    cache: aws.getLocalCryptographicMaterialsCache(1_000),
    maxAge: 86_400_000,
    maxMessagesEncrypted: 2 ** 32,
    maxBytesEncrypted: Number.MAX_SAFE_INTEGER,
  });
  const suiteId = aws.AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY;
  return {
    name: 'AWS Encryption SDK',
    async encrypt(text) {
      const options = { suiteId, encryptionContext: context, plaintextLength: Buffer.byteLength(text) };
      return (await encrypt(manager, text, options)).result.toString('base64');
    },
    async decrypt(ciphertext) {
      return (await decrypt(manager, Buffer.from(ciphertext, 'base64'))).plaintext.toString('utf8');
    },
  };
}

async function load<T>(name: string): Promise<T> {
  const modules = await requireTools('peers');
  return createRequire(join(modules, 'peers.cjs'))(name) as T;
}
