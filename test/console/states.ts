import { playgroundStates } from './playground-states.ts';
import { auditStates } from './audit-states.ts';
import { keyStates } from './key-states.ts';
import { otherStates } from './other-states.ts';
import type { Stage } from './stage.ts';

/** A state of the pages. */
export interface State {
  /** The name, also of the picture. */
  readonly name: string;
  /** Whether the browser logs failed requests. */
  readonly fails?: true;
  /** Brings the page into the state. */
  readonly reach: (stage: Stage) => Promise<void>;
}

/** Every state of the playground and the console. */
export const states: readonly State[] = [...playgroundStates, ...keyStates, ...auditStates, ...otherStates];
