// The versions of a key, and the advice to rewrap values while old versions are still in use.
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
  const { versions, versions_total: total, offset } = record;
  const inUse = record.status === 'active' ? oldVersionsInUse(record) : [];
  return (
    <section class="stack" aria-labelledby="versions-title">
      <h2 id="versions-title">Versions</h2>
      {inUse.length > 0 && <InUse versions={inUse} record={record} />}
      {record.intake && ['active', 'disabled'].includes(record.status) && (
        <p class="soft">
          Every version opens what its writers wrote, until the key is destroyed. The data keys that writers
          wrap are counted when they are unwrapped.
        </p>
      )}
      <Table
        caption="Versions, newest first"
        columns={columnsFor(record, inUse)}
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

interface InUseProps {
  readonly versions: readonly number[];
  readonly record: WithVersions;
}

function InUse({ versions, record }: InUseProps) {
  const { key_version: newest, intake } = record;
  return (
    <Notice tone="info">
      <p>
        {versions.length === 1 ? 'Version' : 'Versions'} {versions.join(', ')}{' '}
        {versions.length === 1 ? 'is' : 'are'} still in use. To move the values to version {newest}, rewrap
        them with <code>migrate</code> of <code>@eaas/migrate</code>.
      </p>
      {intake && (
        <p>
          The service cannot see which public key a writer has. Give writers with an earlier one the public
          key of version {newest}.
        </p>
      )}
    </Notice>
  );
}

function columnsFor(
  { key_version: newest, min_version }: WithVersions,
  inUse: readonly number[],
): readonly Column<WithVersions['versions'][number]>[] {
  return [
    {
      title: 'Version',
      cell: ({ key_version }) => (
        <>
          {key_version} {key_version === newest && <span class="badge">newest</span>}
          {key_version < min_version && <span class="badge">closed</span>}
          {inUse.includes(key_version) && <span class="badge warn">still in use</span>}
        </>
      ),
    },
    { title: 'Created', cell: ({ created_at }) => <When time={created_at} /> },
    { title: 'Data keys wrapped', kind: 'number', cell: ({ wraps }) => wraps.toLocaleString('en') },
    { title: 'Data keys unwrapped', kind: 'number', cell: ({ unwraps }) => unwraps.toLocaleString('en') },
    { title: 'Last unwrapped', cell: ({ last_unwrap_at }) => <When time={last_unwrap_at} /> },
  ];
}
