// Batches of wrap, unwrap, rewrap and hash: many calls in one request, each with a result and an entry of its own.
// A service puts them together with others.
import { type BatchResult, checked, orRefusal, resultOf } from '@eaas/protocol/internal-service';
import { endpoints, type Item, type Route } from '@eaas/protocol/wire';
import { Missing, type Receipts, type View } from '../ledger/decision.ts';
import type { Write } from '../ledger/table.ts';
import type { Caller, Operations, Part } from '../operation.ts';
import type { KeyCall, KeyVerb } from '../plugin.ts';
import { type KeyRule, keyRules, type Ruling } from '../rules/data-key-rules.ts';
import type { Draft } from '../rules/draft.ts';
import { Refusal } from '../rules/refusal.ts';
import type { Service } from '../service.ts';
import { keyPart, presenting } from './data-keys.ts';

export const batchOperations = {
  'POST /v1/batch/wrap': batch('POST /v1/batch/wrap', 'wrap', keyRules.wrap),
  'POST /v1/batch/unwrap': batch('POST /v1/batch/unwrap', 'unwrap', keyRules.unwrap, presenting),
  'POST /v1/batch/rewrap': batch('POST /v1/batch/rewrap', 'rewrap', keyRules.rewrap, presenting),
  'POST /v1/batch/hash': batch('POST /v1/batch/hash', 'hash', keyRules.hash),
} satisfies Partial<Operations>;

interface Batch {
  readonly items: readonly unknown[];
  readonly user?: string | undefined;
}

type Batched<Answer> = Part<{ results: BatchResult<Answer>[] }>;

function batch<R extends BatchRoute, Call extends KeyCall, Answer extends object>(
  route: R,
  verb: KeyVerb | 'hash',
  rule: KeyRule<Call, Answer>,
  read = (item: Item<R>): Call => item as never,
) {
  const schema = endpoints[route].item;
  /** Checks an item like the body of the single call. */
  const check = (item: unknown): Item<R> => {
    if (item instanceof Refusal) throw item;
    return checked(schema, item, 'item') as Item<R>;
  };
  return (service: Service, { isUser }: Caller, { items, user }: Batch): Batched<Answer> => {
    const of = (call: Call): Call => (user === undefined ? call : { ...call, user });
    const calls = items.map((item) => orRefusal(() => of(read(check(item)))));
    const sound = calls.filter((call): call is Call => !(call instanceof Refusal));
    return keyPart(service, verb, sound, (view, caseOf) => {
      const { results, ...written } = ruleEach(view, calls, (call) => rule(caseOf(call)));
      const answer = (receipts: Receipts) => ({
        results: results.map(([result, nth], at) =>
          resultOf(items[at], result, nth === undefined || isUser ? undefined : receipts.of(nth)),
        ),
      });
      return { ...written, answer };
    });
  };
}

/**
 * Applies a rule to each call. The results come with the places of their entries. Calls that are refused alike, like those of
 * a user for others, have one entry together.
 */
function ruleEach<Call, Answer>(
  view: View,
  calls: readonly (Call | Refusal)[],
  rule: (call: Call) => Ruling<Answer>,
) {
  const results: [result: Answer | Refusal, nth?: number][] = [];
  const entries: Draft[] = [];
  const writes: Write[] = [];
  const missing: Missing[] = [];
  const alike: ((items: number) => Draft)[] = [];
  for (const call of calls) {
    try {
      const ruling = call instanceof Refusal ? call : orRefusal(() => rule(call));
      if (ruling instanceof Refusal) {
        results.push([ruling]);
        if (ruling.entry) alike.push(ruling.entry);
        continue;
      }
      const { draft, answer, creates } = ruling;
      if (creates) writes.push(...creates.writes(view, view.entryId + entries.length));
      results.push(draft ? [answer, entries.push(draft) - 1] : [answer]);
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      missing.push(error);
    }
  }
  // The rows that calls lack are read at once, and then what rests on them is prepared.
  if (missing.length > 0) throw new Missing(missing.flatMap(({ needs }) => needs));
  const [entry] = alike;
  return { results, writes, entries: entry ? [...entries, entry(alike.length)] : entries };
}

type BatchRoute = { [R in Route]: [Item<R>] extends [never] ? never : R }[Route];
