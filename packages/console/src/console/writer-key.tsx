import { Code } from '../parts/code.tsx';
import { Copy } from '../parts/copy.tsx';
import { Notice } from '../parts/states.tsx';
import { save } from '../parts/download.tsx';

interface WriterKeyProps {
  readonly keyId: string;
  readonly keyVersion: number;
  readonly publicKey: string;
  readonly sha256: string;
  readonly isNew: boolean;
}

const writer = `import { createIntake } from '@eaas/sdk/intake';
const intake = createIntake({ publicKey: 'eaas_pk_1.…' });
const { ciphertext } = await intake.encrypt(message, { context });`;

export function WriterKey({ keyId, keyVersion, publicKey, sha256, isNew }: WriterKeyProps) {
  const download = () =>
    save(new Blob([publicKey], { type: 'text/plain' }), `key-${keyId}-v${keyVersion}.pub`);
  return (
    <>
      {isNew && (
        <Notice tone="good">
          Version {keyVersion} has a new public key. Give it to your writers. Writers with an earlier public
          key can still write.
        </Notice>
      )}
      <p class="soft">
        Anyone with this text can write, and only this service can decrypt what they write. The text is not a
        secret. Protect the page that contains it: anyone who replaces it there can read what is written from
        then on.
      </p>
      <Code
        title={`Public key of version ${keyVersion}`}
        code={publicKey}
        of={`the public key of version ${keyVersion}`}
      >
        <span class="badge good">for new writers</span>
        <button class="button quiet" type="button" onClick={download}>
          Download<span class="unseen"> the public key of version {keyVersion}</span>
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
