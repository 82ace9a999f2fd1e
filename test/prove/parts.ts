import { citus } from './parts/citus.ts';
import { clocks } from './parts/clocks.ts';
import { fairness } from './parts/fairness/fairness.ts';
import { faults } from './parts/faults.ts';
import { hostile } from './parts/hostile/hostile.ts';
import { pgbouncer } from './parts/pgbouncer.ts';
import { restore } from './parts/restore.ts';
import { simulate } from './parts/simulate.ts';
import type { Part } from './trial.ts';

export const parts: readonly Part[] = [
  faults,
  pgbouncer,
  citus,
  clocks,
  restore,
  hostile,
  fairness,
  simulate,
];
