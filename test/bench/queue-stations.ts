/** The parameters of the simulated servers, database and clients. All times are in microseconds. */
export interface Model {
  readonly servers: number;
  readonly tenants: number;
  /** The number of processor cores that all simulated processes share. With Infinity, each process has its own core. */
  readonly cores: number;
  readonly databaseCores: number;
  readonly connections: number;
  readonly clientPerCall: number;
  readonly serverPerCall: number;
  readonly serverPerAppend: number;
  readonly databasePerAppend: number;
  readonly databasePerEntry: number;
  /** PostgreSQL runs one flush at a time, for all appends that wait for it. */
  readonly flushes: readonly number[];
  /** `betweenPauses` is the CPU time between two pauses for garbage collection. */
  readonly pauses: readonly number[];
  readonly betweenPauses: number;
}

interface Work {
  readonly length: number;
  readonly end: () => void;
  readonly tenant?: Tenant;
}

export interface Station {
  readonly most: number;
  running: number;
  readonly waiting: Work[];
}

export interface Server extends Station {
  least: number;
  untilPause: number;
  free: number;
  readonly unconnected: (() => void)[];
}

export interface Tenant {
  readonly server: Server;
  served: number;
  waiting: (() => void)[];
  isAppending: boolean;
}

/** Tenants take turns: the waiting tenant that has used the least CPU time so far is next. */
export function takeNext({ waiting }: Station): Work | undefined {
  const served = ({ tenant }: Work): number => tenant?.served ?? 0;
  let first = 0;
  waiting.forEach((work, nth) => {
    if (served(work) < served(waiting[first] ?? work)) first = nth;
  });
  const [work] = waiting.splice(first, 1);
  if (work?.tenant) {
    work.tenant.server.least = work.tenant.served;
    work.tenant.served += work.length;
  }
  return work;
}

export const station = (most: number): Station => ({ most, running: 0, waiting: [] });
