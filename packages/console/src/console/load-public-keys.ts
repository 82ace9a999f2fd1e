import { toHex } from '@eaas/protocol/internal';
import type { EaasClient } from '@eaas/sdk';

export interface LoadedPublicKeys {
  readonly keyId: string;
  readonly keyVersion: number;
  readonly intake: { readonly publicKey: string; readonly sha256: string } | undefined;
  readonly hashPublicKey: string;
}

export async function loadPublicKeys(
  client: Pick<EaasClient, 'publicKey'>,
  id: string,
  signal: AbortSignal,
): Promise<LoadedPublicKeys> {
  const { keyId, keyVersion, intakePublicKey, hashPublicKey } = await client.publicKey(id, { signal });
  const intake =
    intakePublicKey === null
      ? undefined
      : { publicKey: intakePublicKey, sha256: await sha256Of(intakePublicKey) };
  return { keyId, keyVersion, intake, hashPublicKey };
}

async function sha256Of(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return toHex(new Uint8Array(digest));
}
