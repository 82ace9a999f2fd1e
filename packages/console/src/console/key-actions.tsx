import { inLine } from '@eaas/protocol/internal';
import { useSignal } from '@preact/signals';
import type { EaasClient } from '@eaas/sdk';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { DestroyKey } from './destroy-key.tsx';
import { ExportKey } from './export-key.tsx';
import type { KeyRecord } from './key-status.tsx';
import { Field, Select } from '../parts/field.tsx';
import { rotationOptionsWith } from './rotation.ts';

type Action = 'rotate' | 'rotation' | 'versions' | 'disable' | 'enable' | 'export' | 'destroy' | 'restore';

interface KeyActionsProps {
  readonly client: EaasClient;
  readonly record: KeyRecord;
  readonly onChanged: () => void;
}

const actions: Readonly<Record<KeyRecord['status'], readonly (readonly [Action, string])[]>> = {
  active: [
    ['rotate', 'Rotate'],
    ['rotation', 'Set the rotation'],
    ['versions', 'Close versions'],
    ['export', 'Export'],
    ['disable', 'Disable'],
  ],
  disabled: [
    ['enable', 'Enable'],
    ['rotation', 'Set the rotation'],
    ['export', 'Export'],
    ['destroy', 'Destroy'],
  ],
  pending_destruction: [['restore', 'Restore']],
  destroyed: [],
};

export function KeyActions({ client, record, onChanged }: KeyActionsProps) {
  const asked = useSignal<Action | undefined>(undefined);
  const close = (): void => void (asked.value = undefined);
  const done = (): void => {
    close();
    onChanged();
  };
  const { key_id, name, status, exportable, intake } = record;
  const shared = { onClose: close, onDone: done };

  return (
    <>
      <div class="actions start">
        {actions[status]
          .filter(([action]) => action !== 'export' || exportable)
          .map(([action, text]) => (
            <Button
              key={action}
              kind={action === 'destroy' ? 'danger' : 'plain'}
              onClick={() => (asked.value = action)}
            >
              {text}
            </Button>
          ))}
        {status === 'active' && <span class="soft">To destroy the key, disable it first.</span>}
      </div>
      {asked.value === 'rotate' && (
        <Confirm
          {...shared}
          title={`Rotate ${inLine(name)}`}
          action="Rotate the key"
          busyText="Rotating"
          work={() => client.keys.rotate({ key_id, key_version: record.key_version })}
        >
          <p>
            Version {record.key_version + 1} wraps new data keys. All earlier versions keep decrypting.
            Clients use the new version within five minutes, when their data keys expire.
          </p>
          {intake && (
            <p>
              The version has its own public key, which this page then shows. Writers with an earlier public
              key keep writing, and you cannot revoke one version alone.
            </p>
          )}
        </Confirm>
      )}
      {asked.value === 'rotation' && <SetRotation {...shared} client={client} record={record} />}
      {asked.value === 'versions' && <CloseVersions {...shared} client={client} record={record} />}
      {asked.value === 'disable' && (
        <Confirm
          {...shared}
          title={`Disable ${inLine(name)}`}
          action="Disable the key"
          busyText="Disabling"
          isDangerous
          work={() => client.keys.disable({ key_id })}
        >
          <p>
            Applications cannot encrypt under this key after their data keys expire, which takes at most five
            minutes.
          </p>
          <p>Existing ciphertexts still decrypt. You can enable the key again at any time.</p>
          {intake && <p>Writers keep writing with the public key. What they write still decrypts.</p>}
        </Confirm>
      )}
      {asked.value === 'enable' && (
        <Confirm
          {...shared}
          title={`Enable ${inLine(name)}`}
          action="Enable the key"
          busyText="Enabling"
          work={() => client.keys.enable({ key_id })}
        >
          <p>Applications can encrypt under the key again.</p>
        </Confirm>
      )}
      {asked.value === 'export' && <ExportKey client={client} record={record} onClose={close} />}
      {asked.value === 'destroy' && <DestroyKey {...shared} client={client} record={record} />}
      {asked.value === 'restore' && (
        <Confirm
          {...shared}
          title={`Restore ${inLine(name)}`}
          action="Restore the key"
          busyText="Restoring"
          work={() => client.keys.restore({ key_id })}
        >
          <p>
            The key will not be destroyed. After that, the key is disabled, so it decrypts but does not
            encrypt.
          </p>
        </Confirm>
      )}
    </>
  );
}

interface SetProps {
  readonly client: EaasClient;
  readonly record: KeyRecord;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function SetRotation({ client, record, onClose, onDone }: SetProps) {
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

function CloseVersions({ client, record, onClose, onDone }: SetProps) {
  const { key_id, name, key_version, min_version } = record;
  const oldest = useSignal(String(min_version));
  return (
    <Confirm
      title={`Versions of ${inLine(name)}`}
      action="Save"
      busyText="Saving"
      isDangerous
      work={() => client.keys.setMinVersion({ key_id, key_version: Number(oldest.value) })}
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        If somebody may know a version, re-encrypt the values under it, and then close it: the service refuses
        them from now on. You can open closed versions again.
      </p>
      <Field
        label="Oldest version that opens"
        type="number"
        min={1}
        max={key_version}
        required
        value={oldest}
      />
    </Confirm>
  );
}
