// The clocks of this machine and of the database. What erases data runs only while they agree.
import { Explained } from '../base/explained.ts';
import type { Service } from '../app/service.ts';
import { databaseTime } from '../postgres/sql.ts';

type Clocks = Pick<Service, 'database' | 'ledger' | 'wallClock'>;

/** Reads the database's time, from which `ledger.clock` goes on. */
export async function readClock({ database, ledger }: Pick<Clocks, 'database' | 'ledger'>): Promise<void> {
  const startedAt = performance.now();
  ledger.clock.learn(await database.run(databaseTime, 2_000), startedAt);
}

/**
 * What to say about a clock of this machine that is `ahead` of the database's, in milliseconds, or undefined if they agree.
 * Beyond a minute one of them is wrong, so the replica erases no data.
 */
export function clockFault(ahead: number): string | undefined {
  if (Math.abs(ahead) <= 60_000) return undefined;
  const far = `${Math.round(Math.abs(ahead) / 1_000)} s ${ahead > 0 ? 'ahead of' : 'behind'}`;
  return `nothing is erased while the clock of this machine is ${far} the database's: run NTP on both machines`;
}

export async function requireAgreement(service: Clocks): Promise<void> {
  await readClock(service);
  const fault = clockFault(service.wallClock() - service.ledger.clock.now());
  if (fault !== undefined) throw new Explained(fault);
}
