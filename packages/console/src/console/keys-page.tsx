import { inLine } from '@eaas/protocol/internal';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useLoaded } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { Select } from '../parts/field.tsx';
import { Link } from '../parts/link.tsx';
import { PageFailure } from '../parts/page-failure.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Pager } from '../parts/pager.tsx';
import { short } from '../parts/short.ts';
import { Empty, Loading } from '../parts/states.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { When } from '../parts/when.tsx';
import { go } from '../places.ts';
import type { PageProps } from '../session.ts';
import { CreateKey } from './create-key.tsx';
import { type KeyRecord, type KeyStatus, KeyStatusBadge, statusOptions } from './key-status.tsx';
import { rotationText } from './rotation.ts';

const size = 50;

export function Keys({ session: { client } }: PageProps) {
  const status = useSignal('');
  const offset = useSignal(0);
  const isCreating = useSignal(false);
  const { value, failure, isLoading, reload } = useLoaded(
    (signal) => {
      const filter = status.value === '' ? {} : { status: status.value as KeyStatus };
      return client.keys.page({ ...filter, limit: size, offset: offset.value }, { signal });
    },
    [status.value, offset.value],
  );
  useEffect(() => void (offset.value = 0), [status.value]);
  const isEmpty = value?.total === 0 && status.value === '';
  const create = (
    <Button kind="primary" onClick={() => (isCreating.value = true)}>
      Create a key
    </Button>
  );

  return (
    <>
      <PageHead
        title="Keys"
        lead="A key wraps the data keys that encrypt your values. It leaves the service only if you allow its export."
        action={failure || isEmpty ? undefined : create}
      />
      {failure && <PageFailure failure={failure} needs="keys.read" onRetry={reload} />}
      {!failure && !isEmpty && (
        <div class="filters">
          <Select label="State" value={status} options={statusOptions} />
        </div>
      )}
      {!value && isLoading && <Loading text="Loading the keys" />}
      {value && !failure && value.count === 0 && (
        <Empty title={isEmpty ? 'No keys yet' : 'No key in this state'} action={isEmpty && create}>
          {isEmpty
            ? 'Create a key, and pass the id of the key to the SDK as keyId.'
            : 'Choose another state to see other keys.'}
        </Empty>
      )}
      {value && !failure && value.count > 0 && (
        <>
          <Table
            caption="Keys, newest first"
            columns={columns}
            rows={value.keys}
            keyOf={({ key_id }) => key_id}
            isStale={isLoading}
          />
          <Pager {...value} size={size} of="keys" onMove={(to) => (offset.value = to)} />
        </>
      )}
      {isCreating.value && (
        <CreateKey
          client={client}
          onClose={() => (isCreating.value = false)}
          onCreated={({ key_id }) => go({ page: 'key', keyId: key_id })}
        />
      )}
    </>
  );
}

const columns: readonly Column<KeyRecord>[] = [
  {
    title: 'Name',
    cell: ({ key_id, name, intake }) => (
      <>
        <Link to={{ page: 'key', keyId: key_id }}>{inLine(name)}</Link>
        {intake && <span class="badge plain">intake</span>}
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
