// The public key of an intake key: whether the service shows it, the text for writers, and how they use it.
import { toHex } from '@eaas/protocol/internal';
import { useRef } from 'preact/hooks';
import { useLoaded } from '../load.ts';
import { Code } from '../parts/code.tsx';
import { Copy } from '../parts/copy.tsx';
import { save } from '../parts/download.tsx';
import { FailureView, Loading, Notice } from '../parts/states.tsx';
import { signedIn } from '../session.ts';
import type { KeyRecord } from '@eaas/sdk';
import type { KeyStatus } from './key-status.tsx';

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
  if (failure) {
    return <FailureView failure={failure} needs="encrypt" to="see the public key" onRetry={retry} />;
  }
  // After a rotation, `value` has the old public key until the new one is loaded.
  if (!value || value.key_version < key_version) return <Loading text="Loading the public key" />;
  return <Shown {...value} isNew={value.key_version > firstSeen.current} />;
}

async function loadPublicKey(id: string, signal: AbortSignal) {
  const { key_id, key_version, intake_public_key } = await signedIn().client.publicKey(id, { signal });
  const text = intake_public_key ?? '';
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return { key_id, key_version, text, sha256: toHex(new Uint8Array(digest)) };
}

type ShownProps = Awaited<ReturnType<typeof loadPublicKey>> & { readonly isNew: boolean };

function Shown({ key_id, key_version, text, sha256, isNew }: ShownProps) {
  const title = `Public key of version ${key_version}`;
  const of = `the public key of version ${key_version}`;
  const caption = (
    <span>
      {title} <span class="badge good">for new writers</span>
    </span>
  );
  const download = () => save(new Blob([text], { type: 'text/plain' }), `key-${key_id}-v${key_version}.pub`);
  return (
    <>
      {isNew && (
        <Notice tone="good">
          Version {key_version} has a new public key. Give it to your writers. Writers with an earlier public
          key can still write.
        </Notice>
      )}
      <p class="soft">
        Anyone with this text can write, and only this service can decrypt what they write. The text is not a
        secret. Protect the page that contains it: anyone who replaces it there can read what is written from
        then on.
      </p>
      <Code title={title} code={text} caption={caption} of={of}>
        <button class="button quiet" type="button" onClick={download}>
          Download<span class="unseen"> {of}</span>
        </button>
      </Code>
      <dl class="small digest">
        <dt>SHA-256 of the text</dt>
        <dd>
          <code>{sha256}</code> <Copy text={sha256} of="the SHA-256 of the public key" />
        </dd>
      </dl>
      <details>
        <summary>How a page writes with it</summary>
        <Code title="In the page" code={writer} />
      </details>
    </>
  );
}

const writer = `import { createIntake } from '@eaas/sdk/intake';
const intake = createIntake({ publicKey: 'eaas_pk_1.…' });
const ciphertext = await intake.encrypt(message, { context });`;
