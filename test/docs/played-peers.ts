import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { requireTools } from '@eaas/test-kit/tools';

// The libraries from which pages migrate. Here stands what the pages use of them, because the compiler sees no types.

interface AwsClient {
  encrypt(
    keyring: object,
    text: string,
    options: { readonly encryptionContext: Readonly<Record<string, string>> },
  ): Promise<{ readonly result: Buffer }>;
  decrypt(
    keyring: object,
    message: Uint8Array,
  ): Promise<{
    readonly plaintext: Buffer;
    readonly messageHeader: { readonly encryptionContext: Readonly<Record<string, string>> };
  }>;
}

interface Aws {
  readonly CommitmentPolicy: { readonly REQUIRE_ENCRYPT_ALLOW_DECRYPT: string };
  readonly RawAesWrappingSuiteIdentifier: { readonly AES256_GCM_IV12_TAG16_NO_PADDING: number };
  readonly RawAesKeyringNode: new (options: object) => object;
  readonly buildClient: (policy: string) => AwsClient;
}

const load = createRequire(join(await requireTools('test/tools/peers'), 'peers.cjs'));
const aws = load('@aws-crypto/client-node') as Aws;

export const { buildClient, CommitmentPolicy } = aws;

/** A key in memory that stands for the one in KMS. */
export class KmsKeyringNode extends aws.RawAesKeyringNode {
  constructor({ keyIds: [keyName] }: { readonly keyIds: readonly string[] }) {
    super({
      keyName,
      keyNamespace: 'played-kms',
      unencryptedMasterKey: Uint8Array.from(rawKey), // the keyring overwrites what it is given
      wrappingSuite: aws.RawAesWrappingSuiteIdentifier.AES256_GCM_IV12_TAG16_NO_PADDING,
    });
  }
}

const rawKey = randomBytes(32);
