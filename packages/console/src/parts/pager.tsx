import { Button } from './button.tsx';

interface PagerProps {
  readonly offset: number;
  readonly count: number;
  readonly total: number;
  readonly size: number;
  readonly of: string;
  readonly onMove: (offset: number) => void;
}

export function Pager({ offset, count, total, size, of, onMove }: PagerProps) {
  if (total <= size && offset === 0) return null;
  const numbers = [offset + 1, offset + count, total].map((number) => number.toLocaleString('en'));
  return (
    <nav class="pager" aria-label={`Pages of ${of}`}>
      <Button disabled={offset === 0} onClick={() => onMove(Math.max(0, offset - size))}>
        Newer
      </Button>
      <span role="status">
        {numbers[0]} to {numbers[1]} of {numbers[2]}
      </span>
      <Button disabled={offset + count >= total} onClick={() => onMove(offset + size)}>
        Older
      </Button>
    </nav>
  );
}
