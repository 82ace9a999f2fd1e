import { nobleEngine } from '@eaas/protocol';
import { randomBytes } from '@eaas/protocol/internal';
import {
  decryptRule,
  encryptRule,
  finish,
  hashRule,
  itemReader,
  type KeyRule,
  orRefusal,
  quotaExceeded,
  Refusal,
  rewrapRule,
  ruleEach,
  runBatch,
  type Ruling,
  unwrapRule,
  withReceipt,
  wrapRule,
} from '@eaas/protocol/service';
import { formatTimestamp } from '@eaas/protocol/wire';
import { keyCrypto } from './key-crypto.ts';
import { type TenantCall, isDone, type Operations, record, requireKey, type Tenant } from './tenant.ts';

type OfKey = { readonly key_id: string };

export const dataKeyOperations = {
  'POST /v1/keys/:key_id/wrap': single(wrapRule),
  'POST /v1/keys/:key_id/unwrap': single(unwrapRule),
  'POST /v1/keys/:key_id/rewrap': single(rewrapRule),
  'POST /v1/hash': single(hashRule),
  'POST /v1/batch/wrap': batch(itemReader('POST /v1/batch/wrap'), wrapRule),
  'POST /v1/batch/unwrap': batch(itemReader('POST /v1/batch/unwrap'), unwrapRule),
  'POST /v1/batch/rewrap': batch(itemReader('POST /v1/batch/rewrap'), rewrapRule),
  'POST /v1/batch/hash': batch(itemReader('POST /v1/batch/hash'), hashRule),
  'POST /v1/encrypt': (call, input) => {
    const key = requireKey(call, input.key_id);
    const { tenant, time } = call;
    const ruling = encryptRule(key.row, keyCrypto(tenant, key), nobleEngine, randomBytes(32), input);
    const quota = tenant.settings.monthly_encrypt_quota;
    if (quota !== null && usageIn(tenant, monthOf(time)).encrypt >= quota) throw quotaExceeded();
    return release(call, ruling);
  },
  'POST /v1/decrypt': (call, input) => {
    const key = requireKey(call, input.key_id);
    return release(call, decryptRule(key.row, keyCrypto(call.tenant, key), nobleEngine, input));
  },
  'GET /v1/usage': ({ tenant, time }, { month = monthOf(time) }) => ({
    month,
    operations: usageIn(tenant, month),
    encrypt_quota: tenant.settings.monthly_encrypt_quota,
    subjects: Array.from(tenant.subjects.values()).filter(({ secret }) => secret).length,
  }),
} satisfies Partial<Operations>;

const monthOf = (time: number): string => formatTimestamp(time).slice(0, 7);

function usageIn({ log }: Tenant, month: string) {
  const done = log.filter((entry) => entry.created_at.startsWith(month) && isDone(entry));
  const count = (action: string): number => done.filter((entry) => entry.action === action).length;
  const [encrypt, decrypt] = [count('encrypt'), count('decrypt')];
  return { encrypt, decrypt, 'key.wrap': count('key.wrap'), 'key.unwrap': count('key.unwrap') };
}

function single<Input extends OfKey, Answer>(rule: KeyRule<Input, Answer>) {
  return (call: TenantCall, input: Input): Answer => {
    const key = requireKey(call, input.key_id);
    return release(call, rule(key.row, keyCrypto(call.tenant, key), input));
  };
}

function batch<Input extends OfKey, Answer extends object>(
  read: (item: unknown) => Input,
  rule: KeyRule<Input, Answer>,
) {
  const run = single(rule);
  return (
    call: TenantCall,
    { items, user }: { readonly items: readonly unknown[]; readonly user?: string | undefined },
  ) =>
    runBatch(items, finish(ruleEach(items, read)), async (inputs) =>
      inputs.map((input) => {
        const own = { ...call };
        const answer = orRefusal(() => run(own, user === undefined ? input : { ...input, user }));
        return withReceipt(answer, own.receipt);
      }),
    );
}

function release<Answer>(call: TenantCall, { draft, answer }: Ruling<Answer>): Answer {
  record(call, draft);
  if (answer instanceof Refusal) throw answer;
  return answer;
}
