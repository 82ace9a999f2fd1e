// What each column of the audit log holds, and its links to people and entries.
import type { AuditEntry } from '@eaas/sdk';
import { short } from '../parts/texts.ts';
import type { Column } from '../parts/table.tsx';
import { go } from '../places.ts';
import { actorColumn, none, OpenEntry, timeColumn } from './entry-cells.tsx';
import { type Named, nameIn } from './names.ts';
import { asked } from './people-find.ts';
import { PersonId } from './person-id.tsx';

interface Known {
  readonly keys: Named;
  readonly actors: Named;
  /** The ids of the entries at which the chain breaks. */
  readonly broken: ReadonlySet<number>;
  /** The id of the last entry that was recomputed. */
  readonly verifiedTo: number;
}

/** The columns of a page of the audit log. People and users have one where an entry names one. */
export function columnsFor(entries: readonly AuditEntry[], { keys, actors, broken, verifiedTo }: Known) {
  const has = (name: 'subject' | 'user') => entries.some(({ metadata }) => metadata[name] !== undefined);
  const columns: readonly Column<AuditEntry>[] = [
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
            <span class="name">{nameIn(keys, key_id) ?? short(key_id)}</span>
            {key_version !== null && <span class="soft"> v{key_version}</span>}
          </>
        ),
    },
    actorColumn(actors),
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
  return columns.filter(
    ({ title }) => (title !== 'Person' || has('subject')) && (title !== 'User' || has('user')),
  );
}

function showPerson(id: string): void {
  asked.value = { by: 'id', text: id };
  go({ page: 'people' });
}
