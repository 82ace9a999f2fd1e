import { playgroundStates } from './playground-states.ts';
import { auditStates } from './audit-states.ts';
import { keyStates } from './key-states.ts';
import { peopleStates } from './people-states.ts';
import { otherStates } from './other-states.ts';
import { publicKeyStates } from './public-key-states.ts';
import { signInStates } from './sign-in-states.ts';
import type { Stage } from './stage.ts';

export interface State {
  readonly name: string;
  readonly fails?: true;
  readonly reach: (stage: Stage) => Promise<void>;
}

export const states: readonly State[] = [
  ...playgroundStates,
  ...keyStates,
  ...publicKeyStates,
  ...auditStates,
  ...signInStates,
  ...peopleStates,
  ...otherStates,
];
