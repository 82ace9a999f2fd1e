import { useRef } from 'preact/hooks';
import { useLoaded } from '../load.ts';
import { FailureView, Loading, Notice } from '../parts/states.tsx';
import { signedIn } from '../session.ts';
import type { KeyRecord, KeyStatus } from './key-status.tsx';
import { WriterKey } from './writer-key.tsx';
import { toHex } from '@eaas/protocol/internal';

interface PublicKeyProps {
  readonly record: KeyRecord;
  /** Loads the key's record again, because another user can have disabled the key. */
  readonly onRetry: () => void;
}

export function PublicKey({ record, onRetry }: PublicKeyProps) {
  const { status, intake } = record;
  return (
    <section class="stack public-keys" aria-labelledby="public-keys-title">
      <h2 id="public-keys-title">Public key</h2>
      {!intake && (
        <p class="soft">
          This key has none, because it is not an intake key. Create an intake key for pages, devices or
          partners that write without an API key.
        </p>
      )}
      {intake && status === 'active' && <Published record={record} onRetry={onRetry} />}
      {intake && status !== 'active' && <Notice {...unpublished[status]} />}
    </section>
  );
}

type Unpublished = Readonly<
  Record<Exclude<KeyStatus, 'active'>, { readonly tone: 'warn' | 'bad'; readonly children: string }>
>;

const unpublished: Unpublished = {
  disabled: {
    tone: 'warn',
    children:
      'The service shows the public key only while the key is active. Writers that have the public key ' +
      'keep writing, and nobody can stop them. What they write still decrypts.',
  },
  pending_destruction: {
    tone: 'bad',
    children:
      'Writers that have the public key keep writing. What they write decrypts only after you restore the ' +
      'key. Take their forms down, or restore the key.',
  },
  destroyed: {
    tone: 'bad',
    children:
      'Writers that still have the public key keep writing, and nobody can ever read what they write. Take their forms down.',
  },
};

function Published({ record, onRetry }: PublicKeyProps) {
  const { key_id, key_version } = record;
  const firstSeen = useRef(key_version);
  const { value, failure, reload } = useLoaded(
    (signal) => loadPublicKey(key_id, signal),
    [key_id, key_version],
  );
  const retry = (): void => {
    reload();
    onRetry();
  };
  if (failure)
    return <FailureView failure={failure} needs="encrypt" to="see the public key" onRetry={retry} />;
  // After a rotation, `value` has the old public key until the new one is loaded.
  if (!value || value.keyVersion < key_version) return <Loading text="Loading the public key" />;
  return <WriterKey {...value} isNew={value.keyVersion > firstSeen.current} />;
}

async function loadPublicKey(id: string, signal: AbortSignal) {
  const { key_id, key_version, intake_public_key } = await signedIn().client.publicKey(id, { signal });
  const publicKey = intake_public_key ?? '';
  return { keyId: key_id, keyVersion: key_version, publicKey, sha256: await sha256Of(publicKey) };
}

async function sha256Of(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return toHex(new Uint8Array(digest));
}
