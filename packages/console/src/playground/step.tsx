import type { ComponentChildren } from 'preact';
import { Code } from '../parts/code.tsx';
import { snippets } from './snippets.ts';

interface StepProps {
  readonly name: keyof typeof snippets;
  readonly number: number;
  readonly title: string;
  readonly lead: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Step({ name, number, title, lead, children }: StepProps) {
  return (
    <section class="stack" id={name} aria-labelledby={`${name}-title`}>
      <h2 id={`${name}-title`}>
        <span class="badge" aria-hidden="true">
          {number}
        </span>{' '}
        {title}
      </h2>
      <p class="soft">{lead}</p>
      {children}
      <Code title="The code of this step" code={snippets[name]} />
    </section>
  );
}
