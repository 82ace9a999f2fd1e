import {
  type BlindHashKey,
  deriveBlindHashKey,
  type Element,
  evaluate,
  type Evaluation,
  readElements,
} from '@eaas/protocol/blind-hash';
import { nodeCurve } from '@eaas/protocol/blind-hash-node';
import { requireElements, requireStatus, type Steps, using } from '@eaas/protocol/service';
import type { Input, Output } from '@eaas/protocol/wire';
import type { Caller } from '../state/caller.ts';
import type { Service } from '../app/service.ts';
import { decide } from '../state/decide.ts';
import type { KeyMaterial } from '../state/tenant-view.ts';
import { requireKey } from './key-crypto.ts';

type Answer = Output<'POST /v1/hash/blind'>;

const patience = 4_000;

export function blindHash(
  service: Service,
  caller: Caller,
  { key_id, elements: texts }: Input<'POST /v1/hash/blind'>,
): Promise<Answer> {
  const { admission, counts, tenants } = service;
  const deadline = performance.now() + patience;
  const inTurns = <T>(work: Steps<T>): Promise<T> =>
    admission.turns.run(caller.tenantId, work, {
      signal: caller.signal,
      within: deadline - performance.now(),
    });
  // `decide` calls its callback again if the tenant has changed. `read` and `evaluation` keep the results of the first
  // call, so that they are not computed again.
  let read: Awaited<ReturnType<typeof readAll>> | undefined;
  let evaluation: Evaluation | undefined;
  const readAll = () => inTurns(readElements(texts));
  return decide(service, caller, async (facts) => {
    read ??= await readAll();
    const elements = requireElements(read);
    const key = await requireKey(service, facts, key_id);
    requireStatus(key.row, 'active');
    if (!evaluation) {
      evaluation = await inTurns(evaluateUnder(key, elements));
      counts.blindHashElements += elements.length;
      tenants.remembered.keepKey(facts.state, key);
    }
    return { drafts: [], answer: { key_id: key.row.key_id, ...evaluation } };
  });
}

/**
 * Derives the key inside the generator, so that the scheduler also counts the CPU time of the derivation for the
 * tenant.
 */
function* evaluateUnder(key: KeyMaterial, elements: readonly Element[]): Steps<Evaluation> {
  return yield* evaluate(blindHashKeyOf(key), elements);
}

export function blindHashKeyOf(key: KeyMaterial): BlindHashKey {
  const { hashKey, row } = key;
  if (!hashKey) throw new Error(`the active key ${row.key_id} must have a secret for hashes (got none)`);
  key.blindHash ??= using(hashKey.export(), (secret) =>
    deriveBlindHashKey(nodeCurve, secret, row.tenant_id, row.key_id),
  );
  return key.blindHash;
}
