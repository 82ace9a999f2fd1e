// Opens keys that AWS KMS locked.
import { DecryptCommand, KMSClient } from '@aws-sdk/client-kms';

const kms = new KMSClient();
const bound = { KeyId: 'alias/eaas-local', EncryptionContext: { eaas: 'local-production' } };

export async function open(CiphertextBlob, { signal }) {
  const command = new DecryptCommand({ ...bound, CiphertextBlob });
  return (await kms.send(command, { abortSignal: signal })).Plaintext;
}
