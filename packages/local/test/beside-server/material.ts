import type { Route } from '@eaas/protocol/wire';
import { calls, lineOf, type Material } from '@eaas/test-kit/calls';
import type { Own, Pair, Sent, Twin } from './pair.ts';

type Status = 'active' | 'disabled' | 'pending_destruction' | 'destroyed';

export async function keyIn(pair: Pair, status: Status, fields: object = {}): Promise<Twin<Material>> {
  const name = `key ${named++}`;
  const created = await pair.post(
    () => '/v1/keys',
    () => ({ name, exportable: true, ...fields }),
  );
  const id = { real: text(created.real.body['key_id']), memory: text(created.memory.body['key_id']) };
  const bundle = await pair.post(
    () => '/v1/encrypt',
    (own) => ({ key_id: own(id), plaintext: 'x' }),
  );
  if (status !== 'active')
    await pair.post(
      (own) => `/v1/keys/${own(id)}/disable`,
      () => ({}),
    );
  if (status === 'pending_destruction' || status === 'destroyed') {
    const days = status === 'destroyed' ? '?grace_days=0' : '';
    await pair.send((own) => ({ method: 'DELETE', path: `/v1/keys/${own(id)}${days}` }));
  }
  const of = (side: 'real' | 'memory'): Material => ({
    id: id[side],
    wrapped_key: text(bundle[side].body['wrapped_key']),
    ciphertext: text(bundle[side].body['ciphertext']),
  });
  return { real: of('real'), memory: of('memory') };
}

let named = 0;
export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export async function apiKey(
  pair: Pair,
  fields: object = { permissions: ['encrypt'] },
): Promise<Twin<Material & { token: string }>> {
  const made = await pair.post(
    () => '/v1/api-keys',
    () => ({ name: 'made', ...fields }),
  );
  return { real: issued(made.real.body), memory: issued(made.memory.body) };
}

const issued = (body: Record<string, unknown>) => ({
  id: text(body['api_key_id']),
  token: text(body['api_key']),
  wrapped_key: '',
  ciphertext: '',
});

export function callOf(route: Route, material: Twin<Material>): (own: Own) => Sent {
  const { query, body } = calls[route];
  return (own) => {
    const { method, path } = lineOf(route, own(material).id);
    const content = body?.(own(material));
    const target = path + (query ? `?${query(own(material))}` : '');
    return { method, path: target, ...(content && { body: content }) };
  };
}

export function remember(
  route: Route,
  { real, memory }: Twin<{ readonly body: Record<string, unknown> }>,
  material: Twin<Material>,
  { keys, apiKeys }: { keys: Twin<Material>[]; apiKeys: Twin<Material & { token: string }>[] },
): void {
  const made = (body: Record<string, unknown>, before: Material) => ({
    id: text(body['key_id']) || before.id,
    wrapped_key: text(body['wrapped_key']) || before.wrapped_key,
    ciphertext: text(body['ciphertext']) || before.ciphertext,
  });
  if (/\/(keys|wrap|rewrap|encrypt)$/.test(route) && real.body['key_id'] !== undefined) {
    keys.push({ real: made(real.body, material.real), memory: made(memory.body, material.memory) });
  }
  if (real.body['api_key'] !== undefined)
    apiKeys.push({ real: issued(real.body), memory: issued(memory.body) });
}
