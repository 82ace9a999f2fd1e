import { parseUuid } from '@eaas/protocol';
import type { Caller } from '../caller.ts';
import { keyNotFound, Refusal } from '../refusal.ts';
import type { Service } from '../service.ts';
import { decide, type Facts } from '../state/decide.ts';
import { loadKeys } from '../state/load-keys.ts';
import type { Draft } from '../state/queue.ts';
import type { KeyMaterial } from '../state/tenant-state.ts';
import { requireKey, requireKeyId } from './require-key.ts';

/** What is recorded of one item, if anything, and its answer. */
export interface ItemRuling<Answer> {
  readonly draft: Draft | null;
  readonly answer: Answer | Refusal;
}

/** An operation on one key that exists alone and in batches. */
export interface ItemOperation<Input, Answer> {
  /** The version that the input needs besides the key's newest. */
  readonly versionOf?: (input: Input) => number | undefined;
  /** May throw a Refusal, which is not recorded. */
  readonly judge: (facts: Facts, key: KeyMaterial, input: Input) => ItemRuling<Answer>;
}

type OfKey = { readonly key_id: string };

/** The single call. */
export function single<Input extends OfKey, Answer>(operation: ItemOperation<Input, Answer>) {
  return (service: Service, caller: Caller, input: Input): Promise<Answer> =>
    decide(service, caller, async (facts) => {
      const key = await requireKey(service, facts, input.key_id, operation.versionOf?.(input));
      const { draft, answer } = operation.judge(facts, key, input);
      return { drafts: draft ? [draft] : [], answer };
    });
}

/** The batch: one read for all keys that are not known, one append for all entries, a result for each item. */
export function batch<Input extends OfKey, Answer>(operation: ItemOperation<Input, Answer>) {
  return (
    service: Service,
    caller: Caller,
    { items }: { readonly items: readonly Input[] },
  ): Promise<{ results: (Answer | Refusal)[] }> =>
    decide(service, caller, async (facts) => {
      const wanted = items.flatMap((item) => {
        const keyId = parseUuid(item.key_id);
        return keyId ? [{ keyId }, { keyId, keyVersion: operation.versionOf?.(item) }] : [];
      });
      const keys = await loadKeys(service.tenants, facts.state, wanted);
      const rulings = items.map((item) => judgeItem(operation, facts, keys, item));
      return {
        drafts: rulings.flatMap(({ draft }) => draft ?? []),
        answer: { results: rulings.map(({ answer }) => answer) },
      };
    });
}

function judgeItem<Input extends OfKey, Answer>(
  operation: ItemOperation<Input, Answer>,
  facts: Facts,
  keys: ReadonlyMap<string, KeyMaterial>,
  item: Input,
): ItemRuling<Answer> {
  try {
    const key = keys.get(requireKeyId(facts.apiKey, item.key_id));
    if (!key) throw keyNotFound();
    return operation.judge(facts, key, item);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { draft: null, answer: error };
  }
}
