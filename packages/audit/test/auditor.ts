import {
  type AuditSource,
  type AuditState,
  checkAudit,
  type CheckOptions,
  type CheckReport,
} from '@eaas/audit';

export type Auditor = ReturnType<typeof auditor>;

/** Somebody who checks a log again and again, and keeps the state as JSON. */
export function auditor(source: AuditSource) {
  let kept: string | undefined;
  const stateIn = (text = 'null') => JSON.parse(text) as AuditState | null;
  return {
    get state(): AuditState | null {
      return stateIn(kept);
    },
    async check(options: CheckOptions = {}): Promise<CheckReport> {
      const report = await checkAudit(source, { state: stateIn(kept), ...options });
      kept = JSON.stringify(report.state);
      return report;
    },
  };
}
