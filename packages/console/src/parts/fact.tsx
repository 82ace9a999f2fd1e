import type { ComponentChildren } from 'preact';

interface FactProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A pair of a list `<dl>`. */
export function Fact({ title, children }: FactProps) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}
