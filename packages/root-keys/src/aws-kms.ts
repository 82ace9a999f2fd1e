import type * as Kms from '@aws-sdk/client-kms';
import { CannotStart, reasonOf } from '@eaas/server/internal';
import { type KeyService, providerDeadline } from './key-service.ts';

/**
 * The encryption context that AWS KMS authenticates. This context must never change: with another context, AWS KMS
 * cannot decrypt existing root keys.
 */
const context = { eaas: 'root-key' };

export const awsKms: KeyService = {
  title: 'AWS KMS',
  async wrap(key, rootKey) {
    const { KeyId, CiphertextBlob } = await call(key, (kms, client, options) =>
      client.send(
        new kms.EncryptCommand({ KeyId: key, Plaintext: rootKey, EncryptionContext: context }),
        options,
      ),
    );
    if (!CiphertextBlob)
      throw new CannotStart('AWS KMS did not return a ciphertext for the root key: try again.');
    // `KeyId` in the response of AWS KMS is the ARN of the key, even if the operator configured an alias.
    return { key: KeyId ?? key, ciphertext: Buffer.from(CiphertextBlob).toString('base64') };
  },
  async unwrap({ key, ciphertext }) {
    const blob = Buffer.from(ciphertext, 'base64');
    const { Plaintext } = await call(key, (kms, client, options) =>
      client.send(
        new kms.DecryptCommand({ KeyId: key, CiphertextBlob: blob, EncryptionContext: context }),
        options,
      ),
    );
    return Plaintext ?? new Uint8Array();
  },
};

async function call<T>(
  key: string,
  work: (kms: typeof Kms, client: Kms.KMSClient, options: { abortSignal: AbortSignal }) => Promise<T>,
): Promise<T> {
  const kms = await loadClient();
  const region = /^arn:[^:]+:kms:([^:]+):/.exec(key)?.[1];
  const client = new kms.KMSClient({
    ...(region === undefined ? {} : { region }),
    requestHandler: { connectionTimeout: 3_000 },
  });
  try {
    return await work(kms, client, { abortSignal: AbortSignal.timeout(providerDeadline) });
  } catch (error) {
    const name = error instanceof Error ? error.name : 'Error';
    throw new CannotStart(
      `AWS KMS could not use the key ${key} (${name}: ${reasonOf(error)}). ${remedies[name] ?? otherRemedy}`,
    );
  } finally {
    client.destroy();
  }
}

const otherRemedy = 'Check the network and the region, and start again.';
const remedies: Readonly<Record<string, string>> = {
  AccessDeniedException:
    'Allow this role kms:Decrypt on the key with the encryption context eaas=root-key (kms:Encrypt for `root-key wrap`).',
  CredentialsProviderError:
    'Give the process credentials of AWS: a role of the machine or the pod, or the variables of the AWS SDK.',
  DisabledException: 'Enable the key again.',
  IncorrectKeyException: 'Restore the wrapped file: its ciphertext belongs to another key.',
  InvalidCiphertextException:
    'Restore the wrapped file: the ciphertext was altered or was not made by `root-key wrap`.',
  KMSInvalidStateException: 'Enable the key again; if its deletion is scheduled, cancel the deletion now.',
  NotFoundException: 'Check the account and the region of the key.',
};

async function loadClient(): Promise<typeof Kms> {
  try {
    return await import('@aws-sdk/client-kms');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new CannotStart(
      'AWS KMS needs the package @aws-sdk/client-kms, which is not installed. ' +
        'Run `npm install @aws-sdk/client-kms` in the folder in which @eaas/cli is installed.',
    );
  }
}
