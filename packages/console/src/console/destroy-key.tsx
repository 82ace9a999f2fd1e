import { inLine } from '@eaas/protocol/internal';
import { useSignal } from '@preact/signals';
import type { EaasClient } from '@eaas/sdk';
import { Confirm } from '../parts/confirm.tsx';
import { Field } from '../parts/field.tsx';
import { counted } from '../parts/short.ts';
import type { KeyRecord } from './key-status.tsx';
import { Permitted } from './permitted.tsx';

interface DestroyKeyProps {
  readonly client: EaasClient;
  readonly record: KeyRecord;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** No key has this id, because the ids of keys are random. */
const nowhere = '00000000-0000-4000-8000-000000000000';

export function DestroyKey({ client, record, onClose, onDone }: DestroyKeyProps) {
  const { key_id, name, key_version, intake } = record;
  const days = useSignal('30');
  return (
    <Permitted
      title={`Destroy ${inLine(name)}`}
      needs="keys.destroy"
      to="destroy a key"
      probe={() => client.keys.destroy({ key_id: nowhere })}
      onClose={onClose}
    >
      <Confirm
        title={`Destroy ${inLine(name)}`}
        action="Destroy the key"
        busyText="Destroying"
        typed={name}
        isDangerous
        work={() => client.keys.destroy({ key_id, grace_days: Number(days.value) })}
        onDone={onDone}
        onClose={onClose}
      >
        <ul class="consequences">
          <li>From now on, values that this key encrypted cannot be decrypted.</li>
          <li>
            After {counted(Number(days.value), 'day')} the key and its {counted(key_version, 'version')} are{' '}
            erased. Every value, file, backup and index under them is lost for ever. Nobody can bring them
            back.
          </li>
          <li>Until then you can restore the key.</li>
          {intake && (
            <li>
              Writers keep writing with the public key, and nobody can read what they write. Take their forms
              down first.
            </li>
          )}
        </ul>
        <Field
          label="Days until it is erased"
          type="number"
          min={0}
          max={365}
          required
          hint="From 0 to 365. With 0 there is no way back."
          value={days}
        />
      </Confirm>
    </Permitted>
  );
}
