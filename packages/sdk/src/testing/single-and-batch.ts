import { type Call, type Draft, record } from './call.ts';
import { Refusal } from './refusal.ts';
import { requireKey } from './require-key.ts';
import type { Key } from './tenant.ts';

/** What is recorded of one item, if anything, and its answer. */
interface Ruling<Answer> {
  readonly draft: Draft | null;
  readonly answer: Answer | Refusal | Promise<Answer>;
}

/** An operation on one key that exists alone and in batches. May throw a Refusal, which is not recorded. */
type Judge<Input, Answer> = (call: Call, key: Key, input: Input) => Ruling<Answer>;

type OfKey = { readonly key_id: string };

/** The single call. */
export function single<Input extends OfKey, Answer>(judge: Judge<Input, Answer>) {
  return async (call: Call, input: Input): Promise<Answer> => {
    const answer = await settle(judge, call, input);
    if (answer instanceof Refusal) throw answer;
    return answer;
  };
}

/** The batch: a result for each item, in their order. */
export function batch<Input extends OfKey, Answer>(judge: Judge<Input, Answer>) {
  return async (
    call: Call,
    { items }: { readonly items: readonly Input[] },
  ): Promise<{ results: (Answer | Refusal)[] }> => ({
    results: await Promise.all(items.map((item) => settle(judge, call, item))),
  });
}

async function settle<Input extends OfKey, Answer>(
  judge: Judge<Input, Answer>,
  call: Call,
  input: Input,
): Promise<Answer | Refusal> {
  try {
    const { draft, answer } = judge(call, requireKey(call, input.key_id), input);
    if (draft) record(call, draft);
    return await answer;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
