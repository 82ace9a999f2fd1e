import type { Place } from '@eaas/test-kit/faults/client';
import { type Sent, tally, unrecorded } from '@eaas/test-kit/faults/load';
import { type Entry, readLog, type Tenant, verify } from '@eaas/test-kit/faults/place';
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
  findings.check(
    'the audit log has the entries of every successful request',
    missing.length === 0,
    missing.slice(0, 5),
  );
  findings.check('the ids of audit entries have no gap', !log.some(({ id }, index) => id !== index + 1));
  const { valid, errors } = await verify(reader, tenant);
  findings.check('the audit chain is valid', valid === true, errors);
  return log;
}

export async function judgeNoLoss(findings: Findings, servers: readonly Place[]): Promise<void> {
  for (const server of servers) {
    const wentBack = await metric(server, 'eaas_audit_head_went_back_total');
    findings.check('a server reports no loss of entries if none was lost', wentBack === 0, `${wentBack}`);
  }
}
