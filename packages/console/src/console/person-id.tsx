import { Copy } from '../parts/copy.tsx';
import { short } from '../parts/short.ts';

interface PersonIdProps {
  readonly id: string;
  readonly of: string;
  /** What the id is of, for a narrow screen, where a dense table shows no titles of columns. */
  readonly label?: string;
  readonly onOpen?: () => void;
}

/** The id of a person or a user, of which an entry has only the first half. */
export function PersonId({ id, of, label, onOpen }: PersonIdProps) {
  const shown = <code title={id}>{short(id)}</code>;
  return (
    <span>
      {label !== undefined && <span class="soft told">{label} </span>}
      {onOpen ? (
        <button class="linklike" type="button" onClick={onOpen}>
          <span class="unseen">Show the person </span>
          {shown}
        </button>
      ) : (
        shown
      )}
      <Copy text={id} of={of} />
    </span>
  );
}
