import { call } from '@eaas/test-kit/faults/client';
import { newKey } from '@eaas/test-kit/faults/place';
import { Burst, openLater, postRequest } from './burst.ts';
import type { Benchmark, Comparison, Contender, Defer } from './compare.ts';
import { openOperator, startDeferred } from './open-operator.ts';

type Verb = 'wrap' | 'unwrap';

const dek = Buffer.alloc(32, 7).toString('base64');
const connections = 8;

export const benchmark: Benchmark = {
  name: 'batches',
  about: `batches of 10 and 100 wraps or unwraps over HTTP, on ${connections} connections, compared with single calls`,
  async comparisons(defer) {
    const ours = await batchesOfEaas(defer);
    const compared = (verb: Verb, size: number): Comparison => ({
      ours: ours(verb, size),
      reference: ours(verb, 1),
    });
    return [10, 100].flatMap((size) => (['wrap', 'unwrap'] as const).map((verb) => compared(verb, size)));
  },
};

async function batchesOfEaas(defer: Defer): Promise<(verb: Verb, size: number) => Contender> {
  const { env, newTenant } = await openOperator(defer);
  const replica = await startDeferred(defer, env);
  const { token } = await newTenant();
  const key_id = await newKey(replica, token);
  const path = `/v1/keys/${key_id}`;
  const { wrapped_key } = await call<{ wrapped_key: string }>(replica, token, 'POST', `${path}/wrap`, {
    dek,
  });
  const headers = { Authorization: `Bearer ${token}` };
  return (verb, size) => {
    const item = verb === 'wrap' ? { dek } : { wrapped_key };
    const items = Array.from({ length: size }, () => ({ key_id, ...item }));
    const request =
      size === 1
        ? postRequest(`${path}/${verb}`, headers, item)
        : postRequest(`/v1/batch/${verb}`, headers, { items });
    return contender(nameOf(verb, size), size, defer, replica.port, request);
  };
}

const nameOf = (verb: Verb, size: number): string =>
  size === 1 ? `single ${verb}s` : `${verb}s in ${size}s`;

function contender(name: string, size: number, defer: Defer, port: number, request: string): Contender {
  const run = openLater(() => Burst.open(port, request, connections), defer);
  const requests = 4 * connections;
  return {
    name,
    size: requests * size,
    run: () => run(requests),
  };
}
