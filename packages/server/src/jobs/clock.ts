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
 * The largest accepted difference between the clocks of a replica and the database, in milliseconds. Beyond this limit
 * one clock is wrong, so the replica erases no data.
 */
export const mostDisagreement = 60_000;

class ClocksDisagree extends Explained {
  override readonly name = 'ClocksDisagree';
}

export async function requireAgreement(service: Clocks): Promise<void> {
  await readClock(service);
  const ahead = service.wallClock() - service.ledger.clock.now();
  if (Math.abs(ahead) <= mostDisagreement) return;
  const seconds = Math.round(Math.abs(ahead) / 1_000);
  throw new ClocksDisagree(
    `nothing is erased while the clock of this machine is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} the database's: ` +
      'correct the clock that is wrong',
  );
}
