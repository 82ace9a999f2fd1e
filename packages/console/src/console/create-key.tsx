import { useSignal } from '@preact/signals';
import type { EaasClient } from '@eaas/sdk';
import { useWork } from '../load.ts';
import { Checkbox, Field, Select } from '../parts/field.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import type { KeyRecord } from './key-status.tsx';
import { rotationOptions } from './rotation.ts';

interface CreateKeyProps {
  readonly client: EaasClient;
  readonly onClose: () => void;
  readonly onCreated: (key: KeyRecord) => void;
}

export function CreateKey({ client, onClose, onCreated }: CreateKeyProps) {
  const name = useSignal('');
  const days = useSignal('365');
  const intake = useSignal(false);
  const exportable = useSignal(false);
  const { run, ...state } = useWork();

  const create = () =>
    run(async () => {
      const policy = days.value === '' ? null : { interval_days: Number(days.value) };
      onCreated(
        await client.keys.create({
          name: name.value.trim(),
          rotation_policy: policy,
          intake: intake.value,
          exportable: exportable.value,
        }),
      );
    });

  return (
    <FormDialog
      title="Create a key"
      action="Create the key"
      busyText="Creating"
      {...state}
      onSubmit={create}
      onClose={onClose}
    >
      <Field
        label="Name"
        hint="What the key protects, such as patients or billing. It cannot be changed later."
        autocomplete="off"
        maxLength={128}
        required
        value={name}
      />
      <Select
        label="Rotation"
        hint="Each rotation makes a new version. Old versions keep decrypting."
        value={days}
        options={rotationOptions}
      />
      <Checkbox
        label="Intake key"
        hint="Anyone with its public key can write, and only this service can decrypt what they write. This cannot be changed later."
        value={intake}
      />
      <Checkbox
        label="Allow export"
        hint="Its material can leave the service, encrypted for an RSA key. This cannot be changed later."
        value={exportable}
      />
    </FormDialog>
  );
}
