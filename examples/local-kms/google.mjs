// Opens keys that Google Cloud KMS locked.
import { KeyManagementServiceClient } from '@google-cloud/kms';

const kms = new KeyManagementServiceClient();

export async function open(ciphertext) {
  const name = kms.cryptoKeyPath(await kms.getProjectId(), 'europe-west3', 'eaas', 'local-production');
  const [{ plaintext }] = await kms.decrypt({ name, ciphertext });
  return new Uint8Array(plaintext);
}
