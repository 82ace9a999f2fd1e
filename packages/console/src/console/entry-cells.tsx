// Cells that the tables of audit entries have in common.
import type { AuditEntry } from '@eaas/sdk';
import { short } from '../parts/short.ts';
import type { Column } from '../parts/table.tsx';
import { dateTime } from '../parts/times.ts';

export const none = <span class="soft">–</span>;

export const timeColumn: Column<AuditEntry> = {
  title: 'Time',
  cell: ({ created_at }) => <time dateTime={created_at}>{dateTime(created_at)}</time>,
};

export function actorColumn(nameOf: (actor: string) => string | undefined): Column<AuditEntry> {
  return {
    title: 'Actor',
    cell: ({ actor }) => {
      const name = nameOf(actor);
      return name === undefined ? (
        <code title={actor}>{short(actor)}</code>
      ) : (
        <span title={actor}>{name}</span>
      );
    },
  };
}

interface OpenEntryProps {
  readonly entry: AuditEntry;
  readonly onOpen: (entry: AuditEntry) => void;
}

export function OpenEntry({ entry, onOpen }: OpenEntryProps) {
  return (
    <button class="button quiet" type="button" onClick={() => onOpen(entry)}>
      <span class="unseen">Open entry </span>
      {entry.id}
    </button>
  );
}
