import { setTimeout as sleep } from 'node:timers/promises';
import { judgeNoLoss } from '../../judge-log.ts';
import { HighAvailability, withoutPatroni } from '../../machine/patroni/high-availability.ts';
import { withoutPgbouncer } from '../../machine/pgbouncer.ts';
import type { Part, Trial } from '../../trial.ts';
import { UnderLoad } from '../under-load.ts';
import { abouts, trialNames } from './abouts.ts';
import {
  type Fault,
  kill,
  reinit,
  seconds,
  silence,
  switchover,
  twoMachines,
  withoutEtcd,
  withoutStandbys,
} from './faults.ts';

function patroniTrial(name: keyof typeof abouts): Trial {
  const pooled = name === 'kill-pooled';
  return {
    name,
    about: abouts[name],
    limit: 600,
    unavailable: async () => (pooled ? withoutPgbouncer() : undefined),
    async run(findings) {
      const database = await HighAvailability.start(findings);
      const pool = pooled && { EAAS_DATABASE_URL: await database.startPgbouncer() };
      const bench = await UnderLoad.start(findings, database, { ...pool });
      const since = performance.now();
      await faults[name]({ findings, database, bench });
      await sleep(4_000);
      const now = performance.now();
      findings.figure('longest time without a success', seconds(bench.longestOutage(since, now)));
      bench.checkNoRefusal('some seconds after the fault, every request succeeds', now - 2_000);
      findings.figure('slowest change', seconds(bench.slowest(['key.create'])));
      findings.figure('slowest other request', seconds(bench.slowest(others)));
      await bench.judge(10);
      await judgeNoLoss(findings, bench.replicas);
    },
  };
}

const others = ['key.wrap', 'key.unwrap', 'encrypt', 'decrypt', 'read'];

const faults: Readonly<Record<keyof typeof abouts, Fault>> = {
  kill,
  'kill-pooled': kill,
  silence,
  switchover,
  'etcd-leader': withoutEtcd('leader'),
  'etcd-all': withoutEtcd('all'),
  standbys: withoutStandbys,
  'two-machines': twoMachines,
  reinit,
};

export const patroni: Part = {
  name: 'patroni',
  about:
    'three nodes of PostgreSQL under Patroni with etcd, behind HAProxy, with the files and the commands of the manual',
  unavailable: withoutPatroni,
  trials: trialNames.map((name) => patroniTrial(name)),
};
