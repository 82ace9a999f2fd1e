import { withoutStandby } from '../machine/cluster.ts';
import type { Part } from '../trial.ts';
import { lossUnderLoad } from './failover-asynchronous.ts';
import { synchronousFailover } from './failover-synchronous.ts';
import { lostTimelines } from './lost-timelines.ts';

export const failover: Part = {
  name: 'failover',
  about: 'the primary dies and a standby takes over; a TCP switch stands in for what follows the primary',
  unavailable: withoutStandby,
  trials: [
    synchronousFailover('closed', 5_000),
    synchronousFailover('silent', 10_000),
    lossUnderLoad,
    lostTimelines,
  ],
};
