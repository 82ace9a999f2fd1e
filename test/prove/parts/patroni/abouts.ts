/** The names and purposes of the trials of Patroni. The page about high availability must list all these trials. */
export const abouts = {
  kill: 'PostgreSQL and Patroni of the primary are killed under load',
  'kill-pooled': 'the same kill, with pgbouncer between the servers and HAProxy',
  silence: 'the primary and its Patroni stop without a word, and continue later',
  switchover: 'an operator makes another node the primary',
  'etcd-leader': 'the leading member of etcd is away for 30 s',
  'etcd-all': 'every member of etcd is away for 30 s',
  standbys: 'both standbys are killed, and started later',
  'two-machines': 'the primary and the synchronous standby are killed, and started later',
  reinit: 'a standby loses its control file, and an operator copies the database to it',
};

export const trialNames = Object.keys(abouts) as (keyof typeof abouts)[];
