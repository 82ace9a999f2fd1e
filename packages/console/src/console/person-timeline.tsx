// What happened with the data of one person, below the person on the people page.
import { actionTexts } from '@eaas/protocol/internal';
import type { AuditEntry, ReportRow } from '@eaas/sdk';
import { reportRow } from '@eaas/sdk/internal';
import { Listing, usePages } from '../parts/listing.tsx';
import { short } from '../parts/texts.ts';
import { Empty } from '../parts/states.tsx';
import type { Column } from '../parts/table.tsx';
import { signedIn } from '../session.ts';
import { actorColumn, none, OpenEntry, timeColumn } from './entry-cells.tsx';
import { nameIn, useActorNames, useKeyNames } from './names.ts';
import { PersonId } from './person-id.tsx';

/** What happened with the data of a person, in words for whoever answers to this person. */
const words: Partial<Record<ReportRow['action'], string>> = {
  ...actionTexts,
  'key.wrap': 'encrypted',
  'key.unwrap': 'opened',
  encrypt: 'encrypted by the service',
  decrypt: 'opened by the service',
  'subject.erase': 'erased',
};

/** Who used the data of a person, and when. A parent gives each person another `key`. */
export function PersonTimeline({ subjectId }: { readonly subjectId: string }) {
  const { audit } = signedIn().client;
  const list = usePages((query, options) => audit.page({ ...query, subject_id: subjectId }, options));
  const keys = useKeyNames();
  const actors = useActorNames();
  const columns: readonly Column<AuditEntry>[] = [
    timeColumn,
    {
      title: 'What',
      cell: (entry) => {
        const { action, outcome } = reportRow(entry);
        return (
          <>
            {outcome === 'refused' && 'not '}
            {words[action] ?? action} {outcome === 'refused' && <span class="badge bad">refused</span>}
            <code class="soft under">{entry.action}</code>
          </>
        );
      },
    },
    { title: 'User', cell: ({ metadata }) => <User metadata={metadata} /> },
    actorColumn(actors),
    {
      title: 'Key',
      cell: ({ key_id }) =>
        key_id === null ? none : <span class="name">{nameIn(keys, key_id) ?? short(key_id)}</span>,
    },
    {
      title: 'Entry',
      kind: 'number',
      cell: (entry) => <OpenEntry entry={entry} />,
    },
  ];
  return (
    <section class="stack" aria-labelledby="timeline-title">
      <h2 id="timeline-title">Who used the data, and when</h2>
      <Listing
        list={list}
        rowsOf={({ logs }) => logs}
        of="entries"
        caption="What happened with the data of this person, newest first"
        needs="audit.read"
        empty={<Empty title="No entries">The entries about this person were purged.</Empty>}
        columns={columns}
        keyOf={({ id }) => id}
      />
    </section>
  );
}

function User({ metadata: { user, user_asserted } }: Pick<AuditEntry, 'metadata'>) {
  if (typeof user !== 'string') return <span class="soft">not named</span>;
  return (
    <>
      <PersonId id={user} of="the id of the user" />
      <span class="soft under">{user_asserted === true ? 'as the app says' : 'signed in'}</span>
    </>
  );
}
