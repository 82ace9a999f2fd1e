import type { AuditEntry, AuditPage } from '@eaas/sdk';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Listing, type Pages } from '../parts/listing.tsx';
import { short } from '../parts/short.ts';
import type { Column } from '../parts/table.tsx';
import { go } from '../places.ts';
import { actorColumn, none, OpenEntry, timeColumn } from './entry-cells.tsx';
import { asked } from './people-find.ts';
import { PersonId } from './person-id.tsx';

interface AuditTableProps {
  readonly list: Pages<AuditPage>;
  readonly empty: ComponentChildren;
  readonly isStale: boolean;
  readonly broken: ReadonlySet<number>;
  readonly verifiedTo: number;
  readonly marked: number | undefined;
  readonly nameOf: (keyId: string) => string;
  readonly actorNameOf: (actor: string) => string | undefined;
}

export function AuditTable({ list, empty, isStale, marked, ...rest }: AuditTableProps) {
  const entries = list.value?.logs ?? [];
  const isHere = entries.some(({ id }) => id === marked);
  useEffect(() => {
    const row = isHere ? document.querySelector('tr.marked') : null;
    row?.scrollIntoView({ block: 'center' });
    row?.querySelector('button')?.focus({ preventScroll: true });
  }, [marked, isHere]);

  const has = (name: 'subject' | 'user'): boolean =>
    entries.some(({ metadata }) => metadata[name] !== undefined);
  const columns = columnsFor(rest).filter(
    ({ title }) => (title !== 'Person' || has('subject')) && (title !== 'User' || has('user')),
  );

  return (
    <Listing
      list={list}
      rowsOf={({ logs }) => logs}
      of="entries"
      needs="audit.read"
      empty={empty}
      columns={columns}
      keyOf={({ id }) => id}
      classOf={({ id }) => `${rest.broken.has(id) ? 'bad' : ''} ${id === marked ? 'marked' : ''}`}
      isStale={isStale}
      isDense
    />
  );
}

type ForColumns = Pick<AuditTableProps, 'broken' | 'verifiedTo' | 'nameOf' | 'actorNameOf'>;

function columnsFor({ broken, verifiedTo, nameOf, actorNameOf }: ForColumns): readonly Column<AuditEntry>[] {
  return [
    {
      title: 'Entry',
      cell: (entry) => (
        <>
          <OpenEntry entry={entry} />
          {broken.has(entry.id) && <span class="badge bad">chain breaks here</span>}
        </>
      ),
    },
    timeColumn,
    { title: 'Action', cell: ({ action }) => <code>{action}</code> },
    {
      title: 'Key',
      cell: ({ key_id, key_version }) =>
        key_id === null ? (
          none
        ) : (
          <>
            <span class="name">{nameOf(key_id)}</span>
            {key_version !== null && <span class="soft"> v{key_version}</span>}
          </>
        ),
    },
    actorColumn(actorNameOf),
    {
      title: 'Person',
      cell: ({ metadata: { subject } }) =>
        typeof subject === 'string' ? (
          <PersonId id={subject} of="the id of the person" onOpen={() => showPerson(subject)} />
        ) : (
          none
        ),
    },
    {
      title: 'User',
      cell: ({ metadata: { user } }) =>
        typeof user === 'string' ? <PersonId id={user} of="the id of the user" /> : none,
    },
    { title: 'Address', cell: ({ ip_address }) => ip_address ?? none },
    {
      title: 'Hash',
      cell: ({ id, hash }) => (
        <>
          <code class="soft">{short(hash, 10)}</code>
          {!broken.has(id) && id <= verifiedTo && (
            <span class="badge good" role="img" aria-label="recomputed in this browser">
              ✓
            </span>
          )}
        </>
      ),
    },
  ];
}

function showPerson(id: string): void {
  asked.value = { by: 'id', text: id };
  go({ page: 'people' });
}
