import { playgroundStates } from './playground-states.ts';
import { auditStates } from './audit-states.ts';
import { keyStates } from './key-states.ts';
import { peopleStates } from './people-states.ts';
import { otherStates } from './other-states.ts';
import { publicKeyStates } from './public-key-states.ts';
import { signInStates } from './sign-in-states.ts';
import type { States } from './stage.ts';

const all: States = {
  ...playgroundStates,
  ...keyStates,
  ...publicKeyStates,
  ...auditStates,
  ...signInStates,
  ...peopleStates,
  ...otherStates,
};

export const states = Object.entries(all).map(([name, state]) =>
  typeof state === 'function'
    ? { name, reach: state, fails: false }
    : { name, reach: state.reach, fails: true },
);
