// How each page of the console begins: its title, what it is for, and its main action.
import type { ComponentChildren } from 'preact';
import { Heading } from './heading.tsx';

interface PageHeadProps {
  readonly title: string;
  readonly lead: ComponentChildren;
  readonly action?: ComponentChildren;
}

export function PageHead({ title, lead, action }: PageHeadProps) {
  return (
    <div class="spread page-head">
      <div>
        <Heading>{title}</Heading>
        <p class="lead">{lead}</p>
      </div>
      {action}
    </div>
  );
}
