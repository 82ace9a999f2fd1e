/** The parameters of a simulated fleet. All times are in microseconds. */
export interface Model {
  readonly servers: number;
  readonly tenants: number;
  /** The cores that all processes share, or Infinity if each process has a core. */
  readonly cores: number;
  /** How many appends PostgreSQL computes at the same time. */
  readonly databaseCores: number;
  /** How many appends of a server have a connection to PostgreSQL at the same time. */
  readonly connections: number;
  /** CPU of the client for a call, if the client runs on the same cores. */
  readonly clientPerCall: number;
  readonly serverPerCall: number;
  readonly serverPerAppend: number;
  readonly databasePerAppend: number;
  readonly databasePerEntry: number;
  /** Measured times of flushes of the WAL. PostgreSQL runs one flush at a time, for all appends that wait for it. */
  readonly flushes: readonly number[];
  /** Measured pauses of a server for garbage collection, and the CPU time from one pause to the next. */
  readonly pauses: readonly number[];
  readonly betweenPauses: number;
}

interface Work {
  readonly length: number;
  readonly end: () => void;
  readonly tenant?: Tenant;
}

/** A process, or PostgreSQL. Work of tenants waits for the tenant with the least CPU time, and other work is first. */
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

/** A tenant that used more CPU time than the others waits until they have used as much. */
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
