import { setTimeout as sleep } from 'node:timers/promises';
import { judgeNoLoss } from '../../judge-log.ts';
import { HighAvailability, withoutPatroni } from '../../machine/patroni/high-availability.ts';
import { withoutPgbouncer } from '../../machine/pgbouncer.ts';
import type { Part, Trial } from '../../trial.ts';
import { UnderLoad } from '../under-load.ts';
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

function patroniTrial(name: string, about: string, fault: Fault, pooled = false): Trial {
  return {
    name,
    about,
    limit: 600,
    unavailable: async () => (pooled ? withoutPgbouncer() : undefined),
    async run(findings) {
      const database = await HighAvailability.start(findings);
      const pool = pooled && { DATABASE_URL: await database.startPgbouncer() };
      const bench = await UnderLoad.start(findings, database, { ...pool });
      const since = performance.now();
      await fault({ findings, database, bench });
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

export const patroni: Part = {
  name: 'patroni',
  about:
    'three nodes of PostgreSQL under Patroni with etcd, behind HAProxy, with the files and the commands of the manual',
  unavailable: withoutPatroni,
  trials: [
    patroniTrial('kill', 'PostgreSQL and Patroni of the primary are killed under load', kill),
    patroniTrial('kill-pooled', 'the same kill, with pgbouncer between the servers and HAProxy', kill, true),
    patroniTrial('silence', 'the primary and its Patroni stop without a word, and continue later', silence),
    patroniTrial('switchover', 'an operator makes another node the primary', switchover),
    patroniTrial('etcd-leader', 'the leading member of etcd is away for 30 s', withoutEtcd('leader')),
    patroniTrial('etcd-all', 'every member of etcd is away for 30 s', withoutEtcd('all')),
    patroniTrial('standbys', 'both standbys are killed, and started later', withoutStandbys),
    patroniTrial(
      'two-machines',
      'the primary and the synchronous standby are killed, and started later',
      twoMachines,
    ),
    patroniTrial(
      'reinit',
      'a standby loses its control file, and an operator copies the database to it',
      reinit,
    ),
  ],
};
