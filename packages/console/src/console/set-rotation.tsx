import { inLine } from '@eaas/protocol/internal';
import { useSignal } from '@preact/signals';
import type { EaasClient } from '@eaas/sdk';
import { Confirm } from '../parts/confirm.tsx';
import { Select } from '../parts/field.tsx';
import type { KeyRecord } from './key-status.tsx';
import { rotationOptionsWith } from './rotation.ts';

interface SetRotationProps {
  readonly client: EaasClient;
  readonly record: KeyRecord;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function SetRotation({ client, record, onClose, onDone }: SetRotationProps) {
  const current = record.rotation_policy?.interval_days;
  const days = useSignal(current === undefined ? '' : String(current));
  const setPolicy = () => {
    const interval_days = days.value === '' ? null : Number(days.value);
    return client.keys.setRotationPolicy({ key_id: record.key_id, interval_days });
  };
  return (
    <Confirm
      title={`Rotation of ${inLine(record.name)}`}
      action="Save"
      busyText="Saving"
      work={setPolicy}
      onDone={onDone}
      onClose={onClose}
    >
      <Select label="Rotation" value={days} options={rotationOptionsWith(current)} />
    </Confirm>
  );
}
