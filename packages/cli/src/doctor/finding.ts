/** What a check of the doctor found. */
export interface Verdict {
  readonly status: 'ok' | 'warning' | 'failed';
  readonly message: string;
}

export interface Finding extends Verdict {
  readonly check: string;
}

const of =
  (status: Verdict['status']) =>
  (message: string): Verdict => ({ status, message });

export const [ok, warning, failed] = [of('ok'), of('warning'), of('failed')];
export const named = (check: string, verdict: Verdict): Finding => ({ check, ...verdict });
