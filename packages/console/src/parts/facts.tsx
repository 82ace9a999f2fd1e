// Titles with their values, as the pages of a key, a person and a sign-in begin.
import type { ComponentChildren } from 'preact';

/** Titles, and what is true of each. */
export function Facts({ of }: { readonly of: Readonly<Record<string, ComponentChildren>> }) {
  return (
    <dl class="facts">
      {Object.entries(of).map(([title, value]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
