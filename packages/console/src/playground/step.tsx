// The frame of a step, and what a step came to.
import type { ComponentChildren } from 'preact';
import { failureOf } from '../failure.ts';
import { Code } from '../parts/code.tsx';
import { FailureView } from '../parts/states.tsx';
import type { Recorded } from './exchanges.ts';
import { Seen } from './seen.tsx';
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
      <div class="step-number" aria-hidden="true">
        {number}
      </div>
      <div class="step-body">
        <h2 id={`${name}-title`}>{title}</h2>
        <p class="soft step-lead">{lead}</p>
        {children}
        <Code title="The code of this step" code={snippets[name]} />
      </div>
    </section>
  );
}

interface OutcomeProps<T> {
  readonly outcome: Recorded<T> | undefined;
  /** The plaintext to search for in the requests. */
  readonly value?: string;
  readonly children: (value: T) => ComponentChildren;
}

export function Outcome<T>({ outcome, value, children }: OutcomeProps<T>) {
  return (
    <div class="result" aria-live="polite">
      {outcome?.ok && children(outcome.value)}
      {outcome && !outcome.ok && <FailureView failure={failureOf(outcome.error)} />}
      {outcome && outcome.exchanges.length > 0 && <Seen exchanges={outcome.exchanges} value={value} />}
    </div>
  );
}
