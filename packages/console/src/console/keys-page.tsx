import { inLine } from '@eaas/protocol/internal';
import type { Input } from '@eaas/protocol/wire';
import { useSignal } from '@preact/signals';
import { Button } from '../parts/button.tsx';
import { openDialog } from '../parts/dialog.tsx';
import { Check, Select } from '../parts/field.tsx';
import type { Field, Fields } from '../parts/form.ts';
import { nameOf } from '../parts/typed.tsx';
import { Link } from '../parts/link.tsx';
import { Listing, usePages } from '../parts/listing.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { RecordDialog } from '../parts/record-dialog.tsx';
import { short } from '../parts/short.ts';
import { Empty } from '../parts/states.tsx';
import type { Column } from '../parts/table.tsx';
import { When } from '../parts/when.tsx';
import { go } from '../places.ts';
import { signedIn } from '../session.ts';
import { type KeyRecord, type KeyStatus, KeyStatusBadge, statusOptions } from './key-status.tsx';
import { rotationOptions, rotationText } from './rotation.ts';

export function Keys() {
  const { keys } = signedIn().client;
  const status = useSignal('');
  const filter = status.value === '' ? {} : { status: status.value as KeyStatus };
  const list = usePages((query, options) => keys.page({ ...query, ...filter }, options), [status.value]);
  const isEmpty = list.value?.total === 0 && status.value === '';
  const create = (
    <Button kind="primary" onClick={() => openDialog(<CreateKey />)}>
      Create a key
    </Button>
  );

  return (
    <>
      <PageHead
        title="Keys"
        lead="A key wraps the data keys that encrypt your values. It leaves the service only if you allow its export."
        action={list.failure || isEmpty ? undefined : create}
      />
      {!list.failure && !isEmpty && (
        <div class="filters page-head">
          <Select label="State" value={status} options={statusOptions} />
        </div>
      )}
      <Listing
        list={list}
        rowsOf={(page) => page.keys}
        of="keys"
        needs="keys.read"
        empty={
          <Empty title={isEmpty ? 'No keys yet' : 'No key in this state'} action={isEmpty && create}>
            {isEmpty
              ? 'Create a key, and pass the id of the key to the SDK as keyId.'
              : 'Choose another state to see other keys.'}
          </Empty>
        }
        columns={columns}
        keyOf={({ key_id }) => key_id}
      />
    </>
  );
}

function CreateKey() {
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
      <Check isChecked={value.value} onChange={(isChecked) => (value.value = isChecked)}>
        <strong>{label}</strong> <span class="soft">{hint}</span>
      </Check>
    ),
  };
}

const columns: readonly Column<KeyRecord>[] = [
  {
    title: 'Name',
    cell: ({ key_id, name, intake }) => (
      <>
        <Link to={{ page: 'key', keyId: key_id }}>{inLine(name)}</Link>{' '}
        {intake && <span class="badge">intake</span>}
        <code class="soft under">{short(key_id)}</code>
      </>
    ),
  },
  { title: 'State', cell: ({ status }) => <KeyStatusBadge status={status} /> },
  { title: 'Version', kind: 'number', cell: ({ key_version }) => key_version },
  { title: 'Rotation', cell: ({ rotation_policy }) => rotationText(rotation_policy?.interval_days) },
  { title: 'Last rotated', cell: ({ rotated_at }) => <When time={rotated_at} /> },
  { title: 'Created', cell: ({ created_at }) => <When time={created_at} /> },
];
