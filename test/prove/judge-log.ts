import type { Place } from '../faults/client.ts';
import { type Sent, tally, unrecorded } from '../faults/load.ts';
import { type Entry, readLog, type Tenant, verify } from '../faults/place.ts';
import type { Findings } from './trial.ts';

/**
 * Counts the responses that a load received, and checks that the tenant's log has an entry for every successful
 * response, ids without a gap, and a valid chain. The load must have stopped. Returns the log.
 */
export async function judgeLog(
  findings: Findings,
  reader: Place,
  tenant: Tenant,
  sent: readonly Sent[],
): Promise<readonly Entry[]> {
  findings.answer(tally(sent));
  const log = await readLog(reader, tenant);
  const missing = unrecorded(sent, log);
  findings.lose(missing.length);
  findings.check('every answer is in the log', missing.length === 0, missing.slice(0, 5));
  findings.check('ids have no gap', !log.some(({ id }, index) => id !== index + 1));
  const { valid, errors } = await verify(reader, tenant);
  findings.check('the chain is valid', valid === true, errors);
  return log;
}
