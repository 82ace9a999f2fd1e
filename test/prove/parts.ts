import { citus } from './parts/citus.ts';
import { clocks } from './parts/clocks.ts';
import { fairness } from './parts/fairness/fairness.ts';
import { cutConnections } from './parts/cut-connections.ts';
import { failover } from './parts/failover.ts';
import { faults } from './parts/faults.ts';
import { hostile } from './parts/hostile/hostile.ts';
import { pgbouncer } from './parts/pgbouncer.ts';
import { publicLog } from './parts/public-log/public-log.ts';
import { restore } from './parts/restore.ts';
import { simulate } from './parts/simulate.ts';
import type { Part } from './trial.ts';

export const parts: readonly Part[] = [
  faults,
  cutConnections,
  failover,
  pgbouncer,
  citus,
  clocks,
  restore,
  hostile,
  fairness,
  publicLog,
  simulate,
];
