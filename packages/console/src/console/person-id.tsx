// The short form of an id in tables of entries, with the whole id to copy, and the person to open.
import { Copy } from '../parts/copy.tsx';
import { short } from '../parts/texts.ts';

interface PersonIdProps {
  readonly id: string;
  readonly of: string;
  readonly onOpen?: () => void;
}

/** The id of a person or a user, of which an entry has only the first half. */
export function PersonId({ id, of, onOpen }: PersonIdProps) {
  const shown = <code title={id}>{short(id)}</code>;
  return (
    <span>
      {onOpen ? (
        <button class="button quiet" type="button" onClick={onOpen}>
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
