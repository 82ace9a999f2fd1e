// Every state of the pages: what the tests of accessibility visit, and what the pictures show.
import { playgroundStates } from './playground-states.ts';
import { apiKeyStates } from './api-key-states.ts';
import { auditStates } from './audit-states.ts';
import { keyStates } from './key-states.ts';
import { peopleStates } from './people-states.ts';
import { signInStates } from './sign-in-states.ts';
import type { Stage } from './stage.ts';
import { doing, enter, failing, seeded, sees, shows, type States, type Step } from './steps.ts';

const usage = '/console/#/usage';

const usageStates: States = {
  usage: [
    seeded,
    async ({ service }) => service.setTenant({ monthlyEncryptQuota: 5_000 }),
    enter(usage),
    shows('table'),
  ],
  'usage-empty': [enter(usage), sees('Nothing was used yet')],
};

const forbidden = ['keys', 'api-keys', 'sign-ins', 'people', 'audit', 'usage'].map((page) => [
  `${page}-forbidden`,
  failing(enter(`/console/#/${page}`, ['encrypt', 'decrypt']), sees('Your API key lacks the permission')),
]);

const all: States = {
  ...playgroundStates,
  ...keyStates,
  ...auditStates,
  ...signInStates,
  ...peopleStates,
  ...apiKeyStates,
  ...usageStates,
  ...Object.fromEntries(forbidden),
};

const reachBy = (steps: readonly Step[]) => (stage: Stage) => doing(stage, ...steps);

export const states = Object.entries(all).map(([name, state]) =>
  'steps' in state
    ? { name, reach: reachBy(state.steps), fails: true }
    : { name, reach: reachBy(state), fails: false },
);
