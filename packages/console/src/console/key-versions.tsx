import type { Output } from '@eaas/protocol/wire';
import { Pager } from '../parts/pager.tsx';
import { Notice } from '../parts/states.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { When } from '../parts/when.tsx';
import { oldVersionsInUse } from './old-versions.ts';

type WithVersions = Output<'GET /v1/keys/:key_id'>;

interface KeyVersionsProps {
  readonly record: WithVersions;
  readonly size: number;
  readonly onMove: (offset: number) => void;
}

export function KeyVersions({ record, size, onMove }: KeyVersionsProps) {
  const { versions, versions_total: total, key_version: newest, offset } = record;
  const inUse = oldVersionsInUse(record);
  return (
    <section aria-labelledby="versions-title">
      <h2 id="versions-title">Versions</h2>
      {inUse.length > 0 && (
        <Notice tone="info">
          {inUse.length === 1 ? 'Version' : 'Versions'} {inUse.join(', ')} {inUse.length === 1 ? 'is' : 'are'}{' '}
          still in use. To move the values to version {newest}, rewrap them with{' '}
          <code>@eaas/sdk/reencrypt</code>.
        </Notice>
      )}
      <Table
        caption="Versions, newest first"
        columns={columnsFor(newest)}
        rows={versions}
        keyOf={({ key_version }) => key_version}
      />
      <Pager
        offset={offset}
        count={versions.length}
        total={total}
        size={size}
        of="versions"
        onMove={onMove}
      />
    </section>
  );
}

function columnsFor(newest: number): readonly Column<WithVersions['versions'][number]>[] {
  return [
    {
      title: 'Version',
      cell: ({ key_version }) => (
        <>
          {key_version} {key_version === newest && <span class="badge plain">newest</span>}
        </>
      ),
    },
    { title: 'Created', cell: ({ created_at }) => <When time={created_at} /> },
    { title: 'Data keys wrapped', kind: 'number', cell: ({ wraps }) => wraps.toLocaleString('en') },
    { title: 'Data keys unwrapped', kind: 'number', cell: ({ unwraps }) => unwraps.toLocaleString('en') },
    { title: 'Last unwrapped', cell: ({ last_unwrap_at }) => <When time={last_unwrap_at} /> },
  ];
}
