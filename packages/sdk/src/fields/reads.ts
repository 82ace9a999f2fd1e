import type { Place } from './field.ts';
import type { FieldPlan, Plans } from './plan.ts';

/** How many values of a field were read as ciphertext, and how many as plaintext, since the beginning. */
export interface ReadCount {
  readonly encrypted: number;
  readonly plaintext: number;
}

/** A value that was read and is not encrypted yet. */
export type PlaintextRead = Omit<Place, 'row'> & { readonly row: string | undefined };

/** Counts what is read, field by field, and tells of each plaintext. */
export class Reads {
  readonly #counts: Map<string, { encrypted: number; plaintext: number }>;
  readonly #onPlaintext: ((read: PlaintextRead) => void) | undefined;

  constructor(plans: Plans, onPlaintext: ((read: PlaintextRead) => void) | undefined) {
    const places = [...plans.values()].flat().map(({ place }) => place);
    this.#counts = new Map(places.map((place) => [place, { encrypted: 0, plaintext: 0 }]));
    this.#onPlaintext = onPlaintext;
  }

  count({ table, name, place }: FieldPlan, kind: keyof ReadCount, row: string | undefined): void {
    const count = this.#counts.get(place);
    if (count) count[kind]++;
    if (kind === 'encrypted') return;
    // Asynchronous, because what an observer promises and breaks would else end the process.
    (async () => this.#onPlaintext?.({ table, field: name, row }))().catch(() => undefined);
  }

  /** The counts as they are now. */
  snapshot(): Record<string, ReadCount> {
    return Object.fromEntries(Array.from(this.#counts, ([place, count]) => [place, { ...count }]));
  }
}
