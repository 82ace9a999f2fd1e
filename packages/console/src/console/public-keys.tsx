import type { EaasClient } from '@eaas/sdk';
import { useRef } from 'preact/hooks';
import { useLoaded } from '../load.ts';
import { Code } from '../parts/code.tsx';
import { PageFailure } from '../parts/page-failure.tsx';
import { LoadingRows, Notice } from '../parts/states.tsx';
import type { KeyRecord, KeyStatus } from './key-status.tsx';
import { WriterKey } from './writer-key.tsx';
import { toHex } from '@eaas/protocol/internal';

interface PublicKeysProps {
  readonly client: EaasClient;
  readonly record: KeyRecord;
  /** Loads the key's record again, because another user can have disabled the key. */
  readonly onRetry: () => void;
}

export function PublicKeys({ client, record, onRetry }: PublicKeysProps) {
  const { status, intake } = record;
  return (
    <section class="public-keys" aria-labelledby="public-keys-title">
      <h2 id="public-keys-title">Public keys</h2>
      {status === 'active' ? (
        <Published client={client} record={record} onRetry={onRetry} />
      ) : (
        <Notice {...(intake ? unpublishedIntake : unpublished)[status]} />
      )}
    </section>
  );
}

type Unpublished = Readonly<
  Record<Exclude<KeyStatus, 'active'>, { readonly tone: 'info' | 'warn' | 'bad'; readonly children: string }>
>;

const unpublished: Unpublished = {
  disabled: {
    tone: 'info',
    children:
      'The service shows the public key for blind hashes only while the key is active. When you enable the key, the public key is the same as before.',
  },
  pending_destruction: {
    tone: 'info',
    children: 'The service shows the public key for blind hashes only while the key is active.',
  },
  destroyed: { tone: 'info', children: 'A destroyed key has no public keys.' },
};

const unpublishedIntake: Unpublished = {
  disabled: {
    tone: 'warn',
    children:
      'The service shows the public keys only while the key is active. Writers that have the public key keep writing, and nobody can stop them. What they write still decrypts.',
  },
  pending_destruction: {
    tone: 'bad',
    children:
      'Writers that have the public key keep writing. What they write decrypts only after you restore the key. Take their forms down, or restore the key.',
  },
  destroyed: {
    tone: 'bad',
    children:
      'Writers that still have the public key keep writing, and nobody can ever read what they write. Take their forms down.',
  },
};

function Published({ client, record, onRetry }: PublicKeysProps) {
  const { key_id, key_version } = record;
  const firstSeen = useRef(key_version);
  const { value, failure, reload } = useLoaded(
    (signal) => loadPublicKeys(client, key_id, signal),
    [key_id, key_version],
  );
  const retry = (): void => {
    reload();
    onRetry();
  };
  if (failure)
    return <PageFailure failure={failure} needs="encrypt" to="see the public keys" onRetry={retry} />;
  // After a rotation, `value` has the old public key until the new one is loaded.
  if (!value || value.keyVersion < key_version)
    return <LoadingRows text="Loading the public keys" rows={2} />;
  const { keyId, keyVersion, intake, hashPublicKey } = value;
  return (
    <>
      <h3>For writers</h3>
      {intake ? (
        <WriterKey {...intake} keyId={keyId} keyVersion={keyVersion} isNew={keyVersion > firstSeen.current} />
      ) : (
        <p class="soft">
          This key has none, because it is not an intake key. Create an intake key for pages, devices or
          partners that write without an API key.
        </p>
      )}
      <h3>For blind hashes</h3>
      <p class="soft">
        The service proves each blind hash with this public key. It never changes while the key exists, so pin
        it in clients that compute stored fingerprints.
      </p>
      <Code title="Pin it in the client" code={pinOf(keyId, hashPublicKey)} />
    </>
  );
}

function pinOf(keyId: string, hashPublicKey: string): string {
  return `new EaasClient({\n  hashPublicKeys: {\n    '${keyId}':\n      '${hashPublicKey}',\n  },\n});`;
}

interface LoadedPublicKeys {
  readonly keyId: string;
  readonly keyVersion: number;
  readonly intake: { readonly publicKey: string; readonly sha256: string } | undefined;
  readonly hashPublicKey: string;
}

async function loadPublicKeys(
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
