import { inLine } from '@eaas/protocol/internal';
import { useSignal } from '@preact/signals';
import { type EaasClient, EaasError } from '@eaas/sdk';
import { useLoaded } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { PageFailure } from '../parts/page-failure.tsx';
import { counted } from '../parts/short.ts';
import { Loading } from '../parts/states.tsx';
import { session } from '../session.ts';
import type { KeyRecord } from './key-status.tsx';

interface DestroyKeyProps {
  readonly client: EaasClient;
  readonly record: KeyRecord;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Checks the permission first, so that nobody types the name of a key in vain. */
export function DestroyKey(props: DestroyKeyProps) {
  const { client, record, onClose } = props;
  const isSure = session.value?.isDevelopment === true;
  const { value, failure, reload } = useLoaded(
    async () => isSure || (await requireDestroy(client)),
    [client],
  );
  if (value) return <ConfirmDestroy {...props} />;
  return (
    <Dialog title={`Destroy ${inLine(record.name)}`} onClose={onClose}>
      <div class="stack">
        {!failure && <Loading text="Checking the permission" />}
        {failure && (
          <PageFailure failure={failure} needs="keys.destroy" to="destroy a key" onRetry={reload} />
        )}
        <div class="actions">
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </div>
    </Dialog>
  );
}

function ConfirmDestroy({ client, record, onClose, onDone }: DestroyKeyProps) {
  const { key_id, name, key_version, intake } = record;
  const days = useSignal('30');
  return (
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
          erased. Every value, file, backup and index under them is lost for ever. Nobody can bring them back.
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
  );
}

/** No key has this id, because the ids of keys are random. */
const nowhere = '00000000-0000-4000-8000-000000000000';

/**
 * Throws if the session lacks the permission `keys.destroy`. The service checks permissions before it looks for the key,
 * so this call changes nothing and writes no audit entry.
 */
async function requireDestroy({ keys }: Pick<EaasClient, 'keys'>): Promise<true> {
  await keys.destroy({ key_id: nowhere }).catch((error: unknown) => {
    if (error instanceof EaasError && error.code === 'permission_missing') throw error;
  });
  return true;
}
