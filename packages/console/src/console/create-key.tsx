// The dialog that creates a key.
import type { Input } from '@eaas/protocol/wire';
import { Check, Select } from '../parts/field.tsx';
import type { Field, Fields } from '../parts/form.ts';
import { RecordDialog } from '../parts/record-dialog.tsx';
import { nameOf } from '../parts/typed.tsx';
import { go } from '../places.ts';
import { signedIn } from '../session.ts';
import { rotationOptions } from './rotation.ts';

export function CreateKey() {
  return (
    <RecordDialog
      title="Create a key"
      action="Create the key"
      fields={keyFields}
      send={async (body) => {
        const { key_id: keyId } = await signedIn().client.keys.create(body);
        go({ page: 'key', keyId });
      }}
    />
  );
}

const keyFields: Fields<Input<'POST /v1/keys'>, never> = {
  name: nameOf('What the key protects, such as patients or billing. It cannot be changed later.'),
  rotation_policy: {
    start: () => '365',
    read: (days: string) => (days === '' ? null : { interval_days: Number(days) }),
    View: ({ value }) => (
      <Select
        label="Rotation"
        hint="Each rotation makes a new version. Old versions keep decrypting."
        value={value}
        options={rotationOptions}
      />
    ),
  },
  intake: check(
    'Intake key',
    'Anyone with its public key can write, and only this service can decrypt what they write. This cannot be changed later.',
  ),
  exportable: check(
    'Allow export',
    'Its material can leave the service, encrypted for an RSA key. This cannot be changed later.',
  ),
};

function check(label: string, hint: string): Field<boolean | null, boolean, never> {
  return {
    start: () => false,
    read: (shown) => shown,
    View: ({ value }) => (
      <Check
        isChecked={value.value}
        onChange={(isChecked) => {
          value.value = isChecked;
        }}
      >
        <strong>{label}</strong> <span class="soft">{hint}</span>
      </Check>
    ),
  };
}
