export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly message: string;
}

const of =
  (status: Finding['status']) =>
  (check: string, message: string): Finding => ({ check, status, message });

export const [ok, warning, failed] = [of('ok'), of('warning'), of('failed')];
