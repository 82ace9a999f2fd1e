// The list of keys, which the console opens with.
import { inLine } from '@eaas/protocol/internal';
import { useSignal } from '@preact/signals';
import { Button } from '../parts/button.tsx';
import { openDialog } from '../parts/dialog.tsx';
import { Select } from '../parts/field.tsx';
import { lazily } from '../parts/lazily.tsx';
import { Link } from '../parts/link.tsx';
import { Listing, usePages } from '../parts/listing.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { short } from '../parts/texts.ts';
import { Empty } from '../parts/states.tsx';
import type { Column } from '../parts/table.tsx';
import { When } from '../parts/when.tsx';
import { signedIn } from '../session.ts';
import type { KeyRecord } from '@eaas/sdk';
import { type KeyStatus, KeyStatusBadge, statusOptions } from './key-status.tsx';
import { rotationText } from './rotation.ts';

// Loaded when it opens, so that the first page of the console stays small.
const CreateKey = lazily(() => import('./create-key.tsx').then((module) => module.CreateKey));

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
