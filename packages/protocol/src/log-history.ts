// What an audit log has said that its later entries must not contradict: a service that honours what was taken away writes
// entries that its own log forbids. Whoever verifies a log walks with one, a service and its auditor alike.
import type { ChainedEntry, StoredEntry } from './audit-chain.ts';

/** What an entry said: about whom or what, what is so since then, and the id of the entry. */
export type LogFact = readonly [about: string, is: string | number, id: number];

/** What is known of a log, as plain JSON. */
export interface KnownFacts {
  /** All that entries from this one on said is known. Of those before, `facts` may lack some. */
  readonly since: number;
  readonly facts: readonly LogFact[];
}

/** More would make an auditor's state large. Those that were said last are kept. */
const mostFacts = 10_000;
/** Longer than any that a service writes. */
const longestName = 64;

/** What no later entry ends, and what one can end. */
const final: ReadonlySet<unknown> = new Set(['revoked', 'erased', 'destroyed']);
const pending = 'pending_destruction';
const states: ReadonlySet<unknown> = new Set([...final, 'disabled', pending]);
/** What a disabled key refuses. Under one that is pending destruction, only two actions are left. */
const needsActive: ReadonlySet<string> = new Set(['key.wrap', 'encrypt', 'key.rotate', 'key.min_version']);

type Entry = Omit<ChainedEntry | StoredEntry, 'tenant_id' | 'ip_address' | 'created_at' | 'salt'>;
type Told = Readonly<Record<string, unknown>>;

/** Learns from each entry, and finds those that contradict what it knows. What is not known accuses nobody. */
export class LogHistory implements KnownFacts {
  since: number;
  readonly #facts = new Map<string, LogFact>();
  #knowsPeople = false;

  constructor({ since, facts = [] }: Pick<KnownFacts, 'since'> & Partial<KnownFacts>) {
    this.since = since;
    for (const fact of facts) this.learn(...fact);
  }

  get facts(): LogFact[] {
    return [...this.#facts.values()];
  }

  /** Goes on to an entry. Returns what the entry contradicts, as a finding says it. */
  step(entry: Entry): string | undefined {
    const { id, metadata } = entry;
    const says = facts.get(entry.action);
    // Parsing costs more than all else here, and most entries neither say anything nor name what is known.
    if (!says && !this.#knowsWhatIsIn(entry)) return undefined;
    const told = Object(typeof metadata === 'string' ? JSON.parse(metadata) : metadata) as Told;
    const isRefused = told['outcome'] === 'refused';
    const found =
      this.#facts.get(`actor ${entry.actor}`) ?? (isRefused ? undefined : this.#against(entry, told));
    const fact = isRefused ? undefined : says?.(told, entry.key_id);
    if (fact) this.learn(...fact, id);
    return (
      found &&
      `entry ${id} contradicts entry ${found[2]}, since which its ${found[0].split(' ')[0]} is ${found[1]}`
    );
  }

  /** Goes on to an entry whose predecessor is not known: what can have been ended meanwhile is forgotten. */
  skipTo(id: number): void {
    for (const [about, is] of this.facts) if (!final.has(is)) this.#facts.delete(about);
    this.since = id;
  }

  /** Learns what an entry said. What forbids nothing, like an active key, is as if nobody had said it. */
  learn(about: string, is: unknown, id: number): void {
    const known = this.#facts.get(about);
    this.#facts.delete(about);
    if (known && final.has(known[1])) [, is, id] = known;
    if (about.length > longestName || !(states.has(is) || Number(is) > 1)) return;
    this.#facts.set(about, [about, is as LogFact[1], id]);
    this.#knowsPeople ||= about.startsWith('subject');
    const [oldest] = this.#facts.values();
    if (!oldest || this.#facts.size <= mostFacts) return;
    this.#facts.delete(oldest[0]);
    this.since = Math.max(this.since, oldest[2] + 1);
  }

  /** Whether something is known of the actor or the key. A person is named in the metadata, so one who is known stands for all. */
  #knowsWhatIsIn({ actor, key_id }: Entry): boolean {
    if (this.#knowsPeople || this.#facts.size === 0) return this.#knowsPeople;
    return [`actor ${actor}`, `key ${key_id}`, `min_version of ${key_id}`].some((one) =>
      this.#facts.has(one),
    );
  }

  #against({ action, key_id, key_version }: Entry, told: Told): LogFact | undefined {
    const erased = this.#facts.get(personIn(told));
    if (erased) return erased;
    const state = this.#facts.get(`key ${key_id}`);
    const leaves = action === 'key.restore' || action === 'key.destroy';
    const isForbidden =
      state?.[1] === 'disabled' ? needsActive.has(action) : state?.[1] === 'destroyed' || !leaves;
    if (state && isForbidden) return state;
    const isOpening = action === 'key.unwrap' || action === 'decrypt';
    const version = isOpening ? key_version : action === 'key.wrap' ? told['from_version'] : undefined;
    const oldest = this.#facts.get(`min_version of ${key_id}`);
    return oldest && Number(version ?? oldest[1]) < Number(oldest[1]) ? oldest : undefined;
  }
}

/** Entries have the first half of a person's id, and that of an erasure all of it. */
const personIn = ({ subject }: Told): string => `subject ${String(subject).slice(0, 32)}`;

type Fact = (told: Told, keyId: string | null) => readonly [about: string, is: unknown];

/** What an entry of these actions says. */
const facts: ReadonlyMap<string, Fact> = new Map<string, Fact>([
  ['api_key.revoke', ({ api_key_id }) => [`actor ${String(api_key_id)}`, 'revoked']],
  ['issuer.revoke', ({ issuer_id }) => [`actor ${String(issuer_id)}`, 'revoked']],
  ['subject.erase', (told) => [personIn(told), 'erased']],
  // Only that of a key which was imported says its status.
  ['key.create', ({ status }, keyId) => [`key ${keyId}`, status]],
  ['key.enable', (_, keyId) => [`key ${keyId}`, 'active']],
  ['key.disable', (_, keyId) => [`key ${keyId}`, 'disabled']],
  ['key.restore', (_, keyId) => [`key ${keyId}`, 'disabled']],
  ['key.destroy', ({ erased }, keyId) => [`key ${keyId}`, erased === true ? 'destroyed' : pending]],
  ['key.min_version', ({ min_version }, keyId) => [`min_version of ${keyId}`, min_version]],
]);

/** Those of them that are rare. */
export const factActions = (): string[] => [...facts.keys()].filter((action) => action !== 'key.create');
