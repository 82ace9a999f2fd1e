import { wrapRule } from '@eaas/protocol/service';
import type { Input, Output } from '@eaas/protocol/wire';
import type { Caller } from '../../packages/server/src/state/caller.ts';
import { requireKey, withKey } from '../../packages/server/src/operations/key-crypto.ts';
import { peopleOf } from '../../packages/server/src/operations/subjects.ts';
import { Refusal } from '../../packages/server/src/base/refusal.ts';
import type { Service } from '../../packages/server/src/app/service.ts';
import { authorize } from '../../packages/server/src/state/caller.ts';

type Wrap = 'POST /v1/keys/:key_id/wrap';

export function wrapWithoutLog(service: Service) {
  return async (caller: Caller, input: Input<Wrap>): Promise<Output<Wrap>> => {
    const found = await service.tenants.tokens.find(caller.credential?.tokenHash ?? new Uint8Array(32));
    if (!found) throw new Error('expected the API key of the request in the database (got none)');
    const { state } = found.view;
    const time = service.clock.now();
    authorize(state, found.apiKey, caller, time);
    const key = await requireKey(service, { state, apiKey: found.apiKey, time }, input.key_id);
    const { answer } = withKey(key, { people: peopleOf(state) }, (crypto) =>
      wrapRule(key.row, crypto, input),
    );
    if (answer instanceof Refusal) throw answer;
    return answer;
  };
}
