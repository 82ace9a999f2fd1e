import { playgroundStates } from './playground-states.ts';
import { auditStates } from './audit-states.ts';
import { keyStates } from './key-states.ts';
import { otherStates } from './other-states.ts';
import type { Stage } from './stage.ts';

/** A state of the pages that the tests examine. */
export interface State {
  /** The name of the state, and of its screenshot. */
  readonly name: string;
  /** Whether the browser logs failed requests. */
  readonly fails?: true;
  /** Performs the steps after which the page has this state. */
  readonly reach: (stage: Stage) => Promise<void>;
}

/** Every state of the playground and the console. */
export const states: readonly State[] = [...playgroundStates, ...keyStates, ...auditStates, ...otherStates];
