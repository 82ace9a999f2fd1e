import { gcm } from '@noble/ciphers/aes.js';
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Context } from '@eaas/protocol';
import { requireTools } from '@eaas/test-kit/tools';

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

interface Jose {
  readonly CompactEncrypt: new (plaintext: Uint8Array) => {
    setProtectedHeader(header: object): { encrypt(key: Uint8Array): Promise<string> };
  };
  readonly compactDecrypt: (jwe: string, key: Uint8Array) => Promise<{ plaintext: Uint8Array }>;
}

const [ivLength, tagLength] = [12, 16];

export function nodeCrypto(): Peer {
  const key = createSecretKey(randomBytes(32));
  const options = { authTagLength: tagLength } as const;
  return {
    name: 'node:crypto, bare',
    async encrypt(text) {
      const iv = randomBytes(ivLength);
      const cipher = createCipheriv('aes-256-gcm', key, iv, options);
      const body = cipher.update(text, 'utf8');
      cipher.final();
      return Buffer.concat([iv, body, cipher.getAuthTag()]).toString('base64');
    },
    async decrypt(ciphertext) {
      const bytes = Buffer.from(ciphertext, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivLength), options);
      decipher.setAuthTag(bytes.subarray(-tagLength));
      const text = decipher.update(bytes.subarray(ivLength, -tagLength));
      decipher.final();
      return text.toString('utf8');
    },
  };
}

export function noble(): Peer {
  const key = randomBytes(32);
  return {
    name: 'noble, bare',
    async encrypt(text) {
      const iv = randomBytes(ivLength);
      return Buffer.concat([iv, gcm(key, iv).encrypt(Buffer.from(text))]).toString('base64');
    },
    async decrypt(ciphertext) {
      const bytes = Buffer.from(ciphertext, 'base64');
      const opened = gcm(key, bytes.subarray(0, ivLength)).decrypt(bytes.subarray(ivLength));
      return Buffer.from(opened).toString('utf8');
    },
  };
}

export async function jose(): Promise<Peer> {
  const { CompactEncrypt, compactDecrypt } = await load<Jose>('jose');
  const key = new Uint8Array(randomBytes(32));
  const header = { alg: 'dir', enc: 'A256GCM' };
  return {
    name: 'jose',
    encrypt: (text) => new CompactEncrypt(Buffer.from(text)).setProtectedHeader(header).encrypt(key),
    decrypt: async (jwe) => Buffer.from((await compactDecrypt(jwe, key)).plaintext).toString('utf8'),
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
  const modules = await requireTools('test/tools/peers');
  return createRequire(join(modules, 'peers.cjs'))(name) as T;
}
