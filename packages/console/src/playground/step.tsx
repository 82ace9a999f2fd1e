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
    <section class="step" id={name} aria-labelledby={`${name}-title`}>
      <div aria-hidden="true">
        <span class="badge">{number}</span>
      </div>
      <div class="stack step-body">
        <h2 id={`${name}-title`}>{title}</h2>
        <p class="soft">{lead}</p>
        {children}
        <Code title="The code of this step" code={snippets[name]} />
      </div>
    </section>
  );
}
