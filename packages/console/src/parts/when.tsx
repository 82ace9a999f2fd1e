// How far a time is from now, with the exact time as its title.
import { fromNow } from './times.ts';

export function When({ time, none = 'never' }: { readonly time: string | null; readonly none?: string }) {
  if (time === null) return <span class="soft">{none}</span>;
  const at = new Date(time);
  return (
    <time dateTime={time} title={at.toLocaleString()}>
      {fromNow(at)}
    </time>
  );
}
