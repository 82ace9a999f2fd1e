export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly message: string;
}

const of =
  (status: Finding['status']) =>
  (check: string, message: string): Finding => ({ check, status, message });

export const [ok, warning, failed, skipped] = [of('ok'), of('warning'), of('failed'), of('skipped')];
