// Cells that the tables of audit entries have in common.
import { escapeHidden } from '@eaas/protocol/internal';
import type { AuditEntry } from '@eaas/sdk';
import { Code } from '../parts/code.tsx';
import { CopyBox } from '../parts/copy.tsx';
import { openDialog, ShowDialog } from '../parts/dialog.tsx';
import { short } from '../parts/texts.ts';
import type { Column } from '../parts/table.tsx';
import { dateTime } from '../parts/times.ts';
import { type Named, nameIn } from './names.ts';

export const none = <span class="soft">–</span>;

export const timeColumn: Column<AuditEntry> = {
  title: 'Time',
  cell: ({ created_at }) => <time dateTime={created_at}>{dateTime(created_at)}</time>,
};

export function actorColumn(actors: Named): Column<AuditEntry> {
  return {
    title: 'Actor',
    cell: ({ actor }) => {
      const name = nameIn(actors, actor);
      return name === undefined ? (
        <code title={actor}>{short(actor)}</code>
      ) : (
        <span title={actor}>{name}</span>
      );
    },
  };
}

interface EntryProps {
  readonly entry: AuditEntry;
}

export function OpenEntry({ entry }: EntryProps) {
  return (
    <button class="button quiet" type="button" onClick={() => openDialog(<Entry entry={entry} />)}>
      <span class="unseen">Open entry </span>
      {entry.id}
    </button>
  );
}

/** Shows an entry of the audit log as the service sent it. */
function Entry({ entry }: EntryProps) {
  const { hash, ...rest } = entry;
  return (
    <ShowDialog title={`Entry ${entry.id}`} action="Close">
      <Code
        title="The hash covers these fields and the hash of the previous entry"
        code={escapeHidden(JSON.stringify(rest, null, 2))}
      />
      <CopyBox text={hash} of="the hash" />
    </ShowDialog>
  );
}
