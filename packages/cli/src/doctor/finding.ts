/** What a check of the doctor found. */
export interface Verdict {
  readonly status: 'ok' | 'warning' | 'failed';
  readonly message: string;
}

export interface Finding extends Verdict {
  readonly check: string;
}

/** A message can have lines of PostgreSQL's log. Here it is one line. */
const of =
  (status: Verdict['status']) =>
  (message: string): Verdict => ({ status, message: message.replaceAll(/\s+/g, ' ') });

export const ok = of('ok');
export const warning = of('warning');
export const failed = of('failed');
export const named = (check: string, verdict: Verdict): Finding => ({ check, ...verdict });
