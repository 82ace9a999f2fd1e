// What can be done with a key, one object each, and the dialog that asks before it is done.
import { inLine } from '@eaas/protocol/internal';
import { limits } from '@eaas/protocol/wire';
import { type Signal, useSignal } from '@preact/signals';
import type { EaasClient, ExportedKey, KeyRecord } from '@eaas/sdk';
import type { VNode } from 'preact';
import { Button } from '../parts/button.tsx';
import { Code } from '../parts/code.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { openDialog, ShowDialog } from '../parts/dialog.tsx';
import { save } from '../parts/download.tsx';
import { Consequences } from '../parts/consequences.tsx';
import { Field, Select } from '../parts/field.tsx';
import { counted } from '../parts/texts.ts';
import { Notice } from '../parts/states.tsx';
import { signedIn } from '../session.ts';
import { exportKey } from './exported-key.ts';
import type { KeyStatus } from './key-status.tsx';
import { ConfirmPermitted, type Permit } from './permitted.tsx';
import { rotationOptionsWith } from './rotation.ts';

interface KeyAction {
  /** What the button says. */
  readonly name: string;
  readonly in: readonly KeyStatus[];
  /** Before the name of the key. */
  readonly title: string;
  readonly action: string;
  readonly isDangerous?: true;
  /** Whether the user types the name of the key first. */
  readonly isTyped?: true;
  /** The permission that is looked for before the user types. */
  readonly permit?: Permit;
  /** Whether this key has it. */
  readonly isFor?: (record: KeyRecord) => boolean;
  /** What it means, a sentence or two each. Before the name is typed, they are a list. */
  readonly says?: (record: KeyRecord, value: string) => readonly (string | false)[];
  /** What the input holds at first. */
  readonly first?: (record: KeyRecord) => string;
  readonly Input?: (props: { readonly record: KeyRecord; readonly value: Signal<string> }) => VNode;
  readonly work: (keys: EaasClient['keys'], record: KeyRecord, value: string) => Promise<unknown>;
}

const destroying: Permit = {
  needs: 'keys.destroy',
  to: 'destroy a key',
  // No key has this id, because the ids of keys are random.
  probe: ({ keys }) => keys.destroy('00000000-0000-4000-8000-000000000000'),
};

const actions: readonly KeyAction[] = [
  {
    name: 'Rotate',
    in: ['active'],
    title: 'Rotate',
    action: 'Rotate the key',
    says: ({ key_version, intake }) => [
      `Version ${key_version + 1} wraps new data keys. All earlier versions keep decrypting. ` +
        'Clients use the new version within five minutes, when their data keys expire.',
      intake &&
        'The version has its own public key, which this page then shows. Writers with an earlier public key ' +
          'keep writing, and you cannot revoke one version alone.',
    ],
    work: (keys, { key_id, key_version }) => keys.rotate(key_id, { key_version }),
  },
  {
    name: 'Set the rotation',
    in: ['active', 'disabled'],
    title: 'Rotation of',
    action: 'Save',
    first: ({ rotation_policy }) => String(rotation_policy?.interval_days ?? ''),
    Input: ({ record: { rotation_policy: policy }, value }) => (
      <Select label="Rotation" value={value} options={rotationOptionsWith(policy?.interval_days)} />
    ),
    work: (keys, { key_id }, days) =>
      keys.setRotationPolicy(key_id, { interval_days: days === '' ? null : Number(days) }),
  },
  {
    name: 'Close versions',
    in: ['active'],
    title: 'Versions of',
    action: 'Save',
    isDangerous: true,
    says: () => [
      'If somebody may know a version, re-encrypt the values under it, and then close it: the service refuses ' +
        'them from now on. You can open closed versions again.',
    ],
    first: ({ min_version }) => String(min_version),
    Input: ({ record: { key_version: max }, value }) => (
      <Field label="Oldest version that opens" type="number" min={1} max={max} required value={value} />
    ),
    work: (keys, { key_id }, oldest) => keys.setMinVersion(key_id, { key_version: Number(oldest) }),
  },
  {
    name: 'Disable',
    in: ['active'],
    title: 'Disable',
    action: 'Disable the key',
    isDangerous: true,
    says: ({ intake }) => [
      'Applications cannot encrypt under this key after their data keys expire, which takes at most five minutes.',
      'Existing ciphertexts still decrypt. You can enable the key again at any time.',
      intake && 'Writers keep writing with the public key. What they write still decrypts.',
    ],
    work: (keys, { key_id }) => keys.disable(key_id),
  },
  {
    name: 'Enable',
    in: ['disabled'],
    title: 'Enable',
    action: 'Enable the key',
    says: () => ['Applications can encrypt under the key again.'],
    work: (keys, { key_id }) => keys.enable(key_id),
  },
  {
    name: 'Destroy',
    in: ['disabled'],
    title: 'Destroy',
    action: 'Destroy the key',
    isDangerous: true,
    isTyped: true,
    permit: destroying,
    says: ({ key_version, intake }, days) => [
      'From now on, values that this key encrypted cannot be decrypted.',
      `After ${counted(Number(days), 'day')} the key and its ${counted(key_version, 'version')} are erased. Every ` +
        'value, file, backup and index under them is lost for ever. Nobody can bring them back.',
      'Until then you can restore the key.',
      intake &&
        'Writers keep writing with the public key, and nobody can read what they write. Take their forms down first.',
    ],
    first: () => String(limits.graceDaysDefault),
    Input: ({ value }) => (
      <Field
        label="Days until it is erased"
        type="number"
        min={0}
        max={limits.graceDays}
        required
        hint={`From 0 to ${limits.graceDays}. With 0 there is no way back.`}
        value={value}
      />
    ),
    work: (keys, { key_id }, days) => keys.destroy(key_id, { grace_days: Number(days) }),
  },
  {
    name: 'Restore',
    in: ['pending_destruction'],
    title: 'Restore',
    action: 'Restore the key',
    says: () => ['The key will not be destroyed. It is disabled then: it decrypts, and does not encrypt.'],
    work: (keys, { key_id }) => keys.restore(key_id),
  },
  {
    name: 'Export',
    in: ['active', 'disabled'],
    isFor: ({ exportable }) => exportable,
    title: 'Export',
    action: 'Export the key',
    isDangerous: true,
    isTyped: true,
    says: () => [
      'Anyone with the file and the private key can decrypt everything under this key, without the service.',
      'No audit entry shows what they decrypt. The log shows only this export.',
      'You cannot take it back. Destroying the key here does not destroy the copy.',
    ],
    Input: ({ value }) => (
      <>
        <Field
          required
          label="RSA public key"
          hint="PEM, 3,072 to 8,192 bits. The service encrypts the key for it. Keep the private key offline."
          rows={5}
          placeholder="-----BEGIN PUBLIC KEY-----"
          value={value}
        />
        <details>
          <summary>How to make one</summary>
          <Code title="In a terminal" code={makeKeyPair} />
        </details>
      </>
    ),
    work: async (keys, { key_id }, pem) => {
      const exported = await exportKey({ keys }, key_id, pem);
      const file = `key-${key_id}.json`;
      save(new Blob([JSON.stringify(exported, null, 2)], { type: 'application/json' }), file);
      openDialog(<Exported file={file} {...exported} />);
    },
  },
];

const makeKeyPair = `openssl genpkey -algorithm RSA \\
  -pkeyopt rsa_keygen_bits:4096 -out export.pem
openssl pkey -in export.pem -pubout`;

function Exported({ file, versions, subjects }: ExportedKey & { readonly file: string }) {
  return (
    <ShowDialog title="The key is exported" action="Done">
      <Notice tone={subjects ? 'good' : 'warn'}>
        Your browser saves <code>{file}</code>, with {counted(versions.length, 'version')}, the hash key and{' '}
        {subjects
          ? `the secrets of all people (${subjects.length}).`
          : 'no people: your API key is limited to some keys, so the file opens no value of a person.'}
      </Notice>
      <p class="soft">
        Each is encrypted for your RSA key, with RSA-OAEP and SHA-256. Keep the file and the private key
        apart.
      </p>
    </ShowDialog>
  );
}

interface KeyActionsProps {
  readonly record: KeyRecord;
  readonly onChanged: () => void;
}

export function KeyActions(props: KeyActionsProps) {
  const { record } = props;
  const isOffered = ({ in: states, isFor }: KeyAction) =>
    states.includes(record.status) && isFor?.(record) !== false;
  return (
    <div class="row page-head">
      {actions.filter(isOffered).map((action) => (
        <Button
          key={action.name}
          kind={action.permit ? 'danger' : 'plain'}
          onClick={() => openDialog(<Ask {...props} asked={action} />)}
        >
          {action.name}
        </Button>
      ))}
      {record.status === 'active' && <span class="soft">To destroy the key, disable it first.</span>}
    </div>
  );
}

function Ask({ asked, record, onChanged }: KeyActionsProps & { readonly asked: KeyAction }) {
  const { keys } = signedIn().client;
  const { action, isDangerous = false, isTyped, permit, first, says, Input, work } = asked;
  const value = useSignal(first?.(record) ?? '');
  const texts = (says?.(record, value.value) ?? []).filter((text) => text !== false);
  const dialog = {
    action,
    isDangerous,
    title: `${asked.title} ${inLine(record.name)}`,
    ...(isTyped && { typed: record.name }),
    work: async () => {
      await work(keys, record, value.value);
      onChanged();
    },
    children: (
      <>
        {isTyped ? <Consequences texts={texts} /> : texts.map((text) => <p key={text}>{text}</p>)}
        {Input && <Input record={record} value={value} />}
      </>
    ),
  };
  return permit ? <ConfirmPermitted {...dialog} {...permit} /> : <Confirm {...dialog} />;
}
