// Opens keys that an RSA key of Azure Key Vault locked.
import { DefaultAzureCredential } from '@azure/identity';
import { CryptographyClient } from '@azure/keyvault-keys';

const key = `https://${process.env.LOCAL_KMS_VAULT}.vault.azure.net/keys/local-production`;
const vault = new CryptographyClient(key, new DefaultAzureCredential());

export async function open(ciphertext, { signal }) {
  const decrypting = vault.decrypt({ algorithm: 'RSA-OAEP-256', ciphertext }, { abortSignal: signal });
  return (await decrypting).result;
}
