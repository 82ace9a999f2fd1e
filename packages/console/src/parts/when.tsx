import { ago, until } from './times.ts';

export function When({ time, none = 'never' }: { readonly time: string | null; readonly none?: string }) {
  if (time === null) return <span class="soft">{none}</span>;
  const at = new Date(time);
  const isAhead = at.getTime() > Date.now();
  return (
    <time dateTime={time} title={at.toLocaleString()}>
      {isAhead ? until(at) : ago(at)}
    </time>
  );
}
