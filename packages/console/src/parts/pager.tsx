// The way to newer and older rows, also in lists whose length the service does not know.
import { Button } from './button.tsx';

interface PagerProps {
  readonly offset: number;
  readonly count: number;
  /** Null if it is not known: then there is a next page if this one is full. */
  readonly total: number | null;
  readonly total_at_least?: number | undefined;
  readonly size: number;
  readonly of: string;
  readonly onMove: (offset: number) => void;
}

export function Pager({ offset, count, total, total_at_least: least = 0, size, of, onMove }: PagerProps) {
  if (total !== null && total <= size && offset === 0) return null;
  const [from, to, all] = [offset + 1, offset + count, total ?? least].map((number) =>
    number.toLocaleString('en'),
  );
  const isLast = total === null ? count < size : offset + count >= total;
  return (
    <nav class="row pager soft small" aria-label={`Pages of ${of}`}>
      <Button disabled={offset === 0} onClick={() => onMove(Math.max(0, offset - size))}>
        Newer
      </Button>
      <span role="status">
        {from} to {to} of {total === null && 'more than '}
        {all}
      </span>
      <Button disabled={isLast} onClick={() => onMove(offset + size)}>
        Older
      </Button>
    </nav>
  );
}
