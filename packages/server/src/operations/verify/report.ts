/** What is wrong, in one word. An entry's or row's own id stands beside it where there is one. */
export type Reason =
  | 'entry_changed'
  | 'entry_missing'
  | 'entry_unexpected'
  | 'entry_mac_invalid'
  | 'time_went_back'
  | 'head_changed'
  | 'head_missing'
  | 'head_mismatch'
  | 'purge_anchor_changed'
  | 'tenant_changed'
  | 'tenant_missing'
  | 'tenant_put_back'
  | 'key_changed'
  | 'key_put_back'
  | 'key_missing'
  | 'key_version_changed'
  | 'key_version_missing'
  | 'key_version_unexpected'
  | 'api_key_changed'
  | 'api_key_put_back'
  | 'api_key_missing'
  | 'row_duplicated'
  | 'rows_differ_from_anchor'
  | 'checkpoint_mismatch'
  | 'checkpoint_ahead'
  | 'checkpoint_purged';

export interface Finding {
  /** The entry's id; for a row the entry that should account for it. */
  readonly id: number | null;
  readonly reason: string;
}

const shown = 100;

/** Collects what is wrong: all of it is counted, the first hundred are kept. */
export class Findings {
  readonly first: Finding[] = [];
  count = 0;

  /** `subject` names a row, by its id. Of entries, so many from this one on. */
  add(reason: Reason, id: number | null, subject?: string, entries = 1): void {
    const text = subject === undefined ? reason : `${reason}: ${subject}`;
    // A changed column may hold what is no entry's id.
    const known = Number.isSafeInteger(id) && Number(id) >= 0 ? id : null;
    for (let nth = 0; nth < entries && this.first.length < shown; nth++) {
      this.first.push({ id: known === null ? null : known + nth, reason: text });
    }
    this.count = Math.min(this.count + entries, Number.MAX_SAFE_INTEGER);
  }
}
