import type { Place } from '../faults/client.ts';
import { type Sent, tally, unrecorded } from '../faults/load.ts';
import { type Entry, readLog, type Tenant, verify } from '../faults/place.ts';
import { metric } from './machine/server.ts';
import type { Findings } from './trial.ts';

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

export async function judgeNoLoss(findings: Findings, servers: readonly Place[]): Promise<void> {
  for (const server of servers) {
    const wentBack = await metric(server, 'eaas_audit_head_went_back_total');
    findings.check('no loss is reported where none was', wentBack === 0, `${wentBack}`);
  }
}
