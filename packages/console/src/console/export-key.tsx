import { inLine } from '@eaas/protocol/internal';
import { useSignal } from '@preact/signals';
import type { EaasClient } from '@eaas/sdk';
import { Code } from '../parts/code.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Consequences } from '../parts/form-dialog.tsx';
import { ShowDialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { counted } from '../parts/short.ts';
import { Notice } from '../parts/states.tsx';
import { save } from '../parts/download.tsx';
import { exportKey } from './exported-key.ts';
import type { KeyRecord } from './key-status.tsx';

interface ExportKeyProps {
  readonly client: EaasClient;
  readonly record: KeyRecord;
  readonly onClose: () => void;
}

const consequences = [
  'Anyone with the file and the private key can decrypt everything under this key, without the service.',
  'No audit entry shows what they decrypt. The log shows only this export.',
  'You cannot take it back. Destroying the key here does not destroy the copy.',
];

const makeKeyPair = `openssl genpkey -algorithm RSA \\
  -pkeyopt rsa_keygen_bits:4096 -out export.pem
openssl pkey -in export.pem -pubout`;

export function ExportKey({ client, record, onClose }: ExportKeyProps) {
  const { key_id, name } = record;
  const publicKey = useSignal('');
  const saved = useSignal<{ readonly fileName: string; readonly versions: number } | undefined>(undefined);
  const work = async (): Promise<void> => {
    const exported = await exportKey(client, key_id, publicKey.value);
    const fileName = `key-${key_id}.json`;
    save(new Blob([JSON.stringify(exported, null, 2)], { type: 'application/json' }), fileName);
    saved.value = { fileName, versions: exported.versions.length };
  };
  if (saved.value) return <Saved {...saved.value} onClose={onClose} />;
  return (
    <Confirm
      title={`Export ${inLine(name)}`}
      action="Export the key"
      typed={name}
      isDangerous
      work={work}
      onClose={onClose}
    >
      <Consequences texts={consequences} />
      <Field
        required
        label="RSA public key"
        hint="PEM, 3,072 to 8,192 bits. The service encrypts the key for it. Keep the private key offline."
        rows={5}
        placeholder="-----BEGIN PUBLIC KEY-----"
        value={publicKey}
      />
      <details>
        <summary>How to make one</summary>
        <Code title="In a terminal" code={makeKeyPair} />
      </details>
    </Confirm>
  );
}

interface SavedProps {
  readonly fileName: string;
  readonly versions: number;
  readonly onClose: () => void;
}

function Saved({ fileName, versions, onClose }: SavedProps) {
  return (
    <ShowDialog title="The key is exported" action="Done" onClose={onClose}>
      <Notice tone="good">
        Your browser saves <code>{fileName}</code>, with {counted(versions, 'version')} and the hash key.
      </Notice>
      <p class="soft">
        Each is encrypted for your RSA key, with RSA-OAEP and SHA-256. Keep the file and the private key
        apart.
      </p>
    </ShowDialog>
  );
}
