// Links between the pages of the console. A reload would forget the API key, which is in memory only.
import type { ComponentChildren } from 'preact';
import { addressOf, go, type View } from '../places.ts';

interface LinkProps {
  readonly to: View;
  readonly children: ComponentChildren;
  readonly isCurrent?: boolean;
}

/**
 * A link that shows another page of the console without a reload, because a reload would delete the API key from
 * memory.
 */
export function Link({ to, children, isCurrent = false }: LinkProps) {
  return (
    <a
      href={addressOf(to)}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}
