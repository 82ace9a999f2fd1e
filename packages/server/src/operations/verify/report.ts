/** What is wrong, in one word. An entry's or row's own id stands beside it where there is one. */
export type Reason =
  | 'entry_changed'
  | 'entry_missing'
  | 'entry_unexpected'
  | 'entry_mac_invalid'
  | 'time_went_back'
  | 'head_changed'
  | 'head_mismatch'
  | 'purge_anchor_changed'
  | 'tenant_changed'
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
    for (let nth = 0; nth < entries && this.first.length < shown; nth++) {
      const text = subject === undefined ? reason : `${reason}: ${subject}`;
      this.first.push({ id: id === null ? null : id + nth, reason: text });
    }
    this.count += entries;
  }
}
