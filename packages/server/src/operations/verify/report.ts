import type { Admission } from '../../admission/admission.ts';
import type { Service } from '../../app/service.ts';
import type { Database } from '../../store/database.ts';

export const reasons = [
  'entry_changed',
  'entry_missing',
  'entry_unexpected',
  'entry_mac_invalid',
  'entry_in_future',
  'time_went_back',
  'head_changed',
  'head_missing',
  'head_mismatch',
  'purge_anchor_changed',
  'tenant_changed',
  'tenant_missing',
  'tenant_put_back',
  'key_changed',
  'key_put_back',
  'key_missing',
  'key_version_changed',
  'key_version_missing',
  'key_version_unexpected',
  'api_key_changed',
  'api_key_put_back',
  'api_key_missing',
  'issuer_changed',
  'issuer_put_back',
  'issuer_missing',
  'subject_changed',
  'subject_put_back',
  'subject_missing',
  'row_duplicated',
  'rows_differ_from_anchor',
  'checkpoint_mismatch',
  'checkpoint_ahead',
  'checkpoint_purged',
  'proof_mismatch',
] as const;

type Reason = (typeof reasons)[number];

export interface Finding {
  readonly id: number | null;
  readonly reason: string;
}

const mostShown = 100;

/**
 * The causes of a finding. Each cause is a list of audit entries. A cause is explained if one entry of its list was
 * changed. A cause with an empty list cannot be explained.
 */
export type Causes = readonly (readonly number[])[];

interface Explainable {
  readonly finding: Finding;
  readonly unexplained: Set<readonly number[]>;
}

export class Findings {
  readonly first: Finding[] = [];
  count = 0;
  readonly #explainable = new Map<number, Explainable[]>();

  add(reason: Reason, id: number | null, subject?: string, entries = 1): void {
    const text = subject === undefined ? reason : `${reason}: ${subject}`;
    // A tampered row can contain a number that is not a valid id.
    const known = Number.isSafeInteger(id) && Number(id) >= 0 ? id : null;
    for (let nth = 0; nth < entries && this.first.length < mostShown; nth++) {
      this.first.push({ id: known === null ? null : known + nth, reason: text });
    }
    this.count = Math.min(this.count + entries, Number.MAX_SAFE_INTEGER);
  }

  /**
   * Adds a finding with its causes. If `addChangedEntry` later reports a changed entry of every cause, it removes the
   * finding.
   */
  addUnlessExplained(causes: Causes, reason: Reason, id: number | null, subject?: string): void {
    const shown = this.first.length;
    this.add(reason, id, subject);
    const finding = this.first[shown];
    if (!finding || causes.some((entries) => entries.length === 0)) return;
    const explainable = { finding, unexplained: new Set(causes) };
    for (const entry of new Set(causes.flat())) {
      const others = this.#explainable.get(entry);
      if (others) others.push(explainable);
      else this.#explainable.set(entry, [explainable]);
    }
  }

  addChangedEntry(reason: 'entry_changed' | 'entry_mac_invalid', id: number): void {
    this.add(reason, id);
    const explained = this.#explainable.get(id) ?? [];
    this.#explainable.delete(id);
    for (const { finding, unexplained } of explained) {
      if (unexplained.size === 0) continue;
      for (const cause of unexplained) if (cause.includes(id)) unexplained.delete(cause);
      if (unexplained.size > 0) continue;
      this.first.splice(this.first.indexOf(finding), 1);
      this.count--;
    }
  }
}

export interface Inspection {
  readonly database: Database;
  readonly turns: Admission['turns'];
  readonly tenantId: string;
  readonly findings: Findings;
  readonly shouldStop: () => boolean;
  readonly timeLeft: () => number;
}

export const unhurried = { shouldStop: () => false, timeLeft: () => 60_000 };

export function beginInspection(
  { background: database, admission }: Service,
  tenantId: string,
  options: Partial<Pick<Inspection, 'shouldStop' | 'timeLeft'>> = {},
): Inspection {
  return { ...unhurried, database, turns: admission.turns, tenantId, findings: new Findings(), ...options };
}
