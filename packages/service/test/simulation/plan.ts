// What a run is made from: a seed, which draws the calls and the order of events, and troubles at the steps that they name.
// fast-check makes plans, and shrinks one that fails to the few troubles that matter.
import {
  array,
  type Arbitrary,
  constant,
  constantFrom,
  integer,
  nat,
  noBias,
  noShrink,
  oneof,
  record,
  tuple,
} from 'fast-check';

/**
 * What can happen at a step on the way to the database and back, and how often. `lose`: the connection breaks, and with it what
 * ran. `late`: it breaks, and what was sent runs later. `hang`: the step takes long. `crash`: the replica forgets all.
 * `failover`: a standby takes over, which can lack the newest entries. `clock`: the clock of the database goes back. `refuse`: the
 * database works, and does not take the link. `alter`: somebody who has the database changes a row, and puts it right later.
 */
const rare = { crash: 1, failover: 1, clock: 1, refuse: 2, alter: 4 } as const;
const kinds = { none: 8, lose: 6, late: 6, hang: 4, ...rare } as const;

type Kind = keyof typeof kinds;
type Of<Made> = Made extends Arbitrary<infer Value> ? Value : never;

const weighted = Object.entries(kinds) as [Kind, number][];
const step = record({
  kind: oneof(...weighted.map(([kind, weight]) => ({ arbitrary: constant(kind), weight }))),
  ms: oneof(nat(150), integer({ min: 50, max: 90 }), nat(3_000), nat(30_000)),
});

export type Step = Of<typeof step>;

/** Two links in doubt: the first lands when the second has failed. */
const end = constantFrom('lose', 'refuse');
const doubt = tuple(integer({ min: 50, max: 90 }), end).map(([ms, kind]): Step[] => [
  { kind: 'late', ms },
  { kind: 'none', ms: 0 },
  { kind: 'none', ms: 0 },
  { kind, ms: 0 },
]);
/** A crash whose last link takes very long. */
const orphan = integer({ min: 8_000, max: 30_000 }).map((ms): Step[] => [{ kind: 'crash', ms }]);

/** The database answers nothing for longer than anybody waits. */
const outage = constant(Array.from({ length: 6 }, (): Step => ({ kind: 'hang', ms: 3_000 })));

/** From a step of a lane on, which is that of a replica, a tenant, and what reads or writes. */
const trouble = record({
  lane: nat(7),
  at: nat(80),
  steps: oneof(
    { arbitrary: array(step, { minLength: 1, maxLength: 5, size: 'max' }), weight: 12 },
    { arbitrary: doubt, weight: 3 },
    { arbitrary: orphan, weight: 1 },
    { arbitrary: outage, weight: 1 },
  ),
});

export const plans = noBias(
  record({
    seed: noShrink(nat()),
    calls: integer({ min: 1, max: 50 }),
    /** The most milliseconds between two calls. */
    gap: constantFrom(25, 10, 400, 2_500),
    /** How many of the calls can go only to the first replica. */
    lone: constantFrom(0, 0.5, 0.9),
    troubles: array(trouble, { maxLength: 40, size: 'max' }),
  }),
);

export type Plan = Of<typeof plans>;
export type Chance = ReturnType<typeof chanceOf>;

/** Draws what follows from a seed: Weyl's sequence, mixed as in MurmurHash3. */
export function chanceOf(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0;
    const mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    const more = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((more ^ (more >>> 16)) >>> 0) / 2 ** 32;
  };
  const below = (most: number): number => Math.floor(next() * most);
  const pick = <T>(all: readonly T[]): T => all[below(all.length)] as T;
  return { next, below, pick, is: (probability: number): boolean => next() < probability };
}
