import { parseUuid } from '@eaas/protocol';
import type { Output } from '@eaas/protocol/wire';
import { type Caller, operations, Refusal, type Service } from '@eaas/server/internal';
import { type OnTenant, withTenant } from './command.ts';
import { orNotFound } from './failure.ts';

type Key = Output<'POST /v1/keys'>;

export async function requireKey(service: Service, operator: Caller, idOrName: string): Promise<Key> {
  const missing = `The tenant has no key with this id or name: \`eaas key list --tenant ${operator.tenantId}\` lists them.`;
  const keyId = parseUuid(idOrName);
  if (keyId)
    return orNotFound(missing, operations['GET /v1/keys/:key_id'](service, operator, { key_id: keyId }));
  const { keys } = await operations['GET /v1/keys'](service, operator, { name: idOrName });
  const key = keys.find(({ status }) => status !== 'destroyed') ?? keys[0];
  if (!key) throw new Refusal('not_found', missing);
  return key;
}

export type OnKey<T> = (service: Service, operator: Caller, input: { readonly key_id: string }) => Promise<T>;

export function withKey<T>(options: OnTenant, idOrName: string, run: OnKey<T>): Promise<T> {
  return withTenant(options, async (service, operator) => {
    const { key_id } = await requireKey(service, operator, idOrName);
    return run(service, operator, { key_id });
  });
}
