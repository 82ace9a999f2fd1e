import { parseArgs } from 'node:util';
import type { Permission } from '@eaas/protocol/wire';
import { createTestService, type TestService } from '@eaas/local';

const services = new Map<string, TestService>();

export const address = 'https://eaas.test';

const holders = new Map<string, TestService>();

export async function fetchFromAny(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const authorization = request.headers.get('authorization') ?? '';
  const holder = holders.get(authorization);
  if (holder) return holder.fetch(request);
  // Only the service that has the API key says more than this, be it that the key has expired or was revoked.
  const strange = await createTestService().fetch(request.clone());
  const text = await strange.clone().text();
  if (strange.status !== 401) return strange;
  for (const service of Array.from(services.values()).toReversed()) {
    const answer = await service.fetch(request.clone());
    if (answer.status !== 401) holders.set(authorization, service);
    if ((await answer.clone().text()) !== text) return answer;
  }
  return strange;
}

export async function runPlayed(command: readonly string[]) {
  const { positionals, values } = parseArgs({
    args: [...command],
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
      name: { type: 'string' },
      tenant: { type: 'string' },
      permissions: { type: 'string' },
      'envelope-only': { type: 'string' },
      'monthly-encrypt-quota': { type: 'string' },
    },
  });
  const verb = positionals.slice(0, 2).join(' ');
  const quota = values['monthly-encrypt-quota'];
  const fields = {
    ...(values['envelope-only'] && { envelopeOnly: values['envelope-only'] === 'true' }),
    ...(quota !== undefined && { monthlyEncryptQuota: quota === 'null' ? null : Number(quota) }),
  };
  const done = { code: 0, stderr: '' };
  if (verb === 'tenant create') {
    const service = createTestService(fields);
    services.set(service.tenantId, service);
    return { ...done, stdout: shown(service, fields) };
  }
  const service = services.get(values.tenant ?? positionals[2] ?? '');
  if (service && verb === 'tenant set') {
    service.setTenant(fields);
    return { ...done, stdout: shown(service, fields) };
  }
  if (service && verb === 'api-key create') {
    return { ...done, stdout: JSON.stringify(await issue(service, values.permissions ?? '')) };
  }
  return { ...done, code: 1, stdout: '', stderr: `\`eaas ${command.join(' ')}\` is not simulated` };
}

async function issue(service: TestService, permissions: string): Promise<object> {
  if (permissions !== 'all') {
    return service.createApiKey({ permissions: permissions.split(',') as Permission[] });
  }
  const headers = { authorization: `Bearer ${service.apiKey}` };
  const answer = await service.fetch(`${address}/v1/api-keys`, { headers });
  const { api_keys } = (await answer.json()) as { api_keys: object[] };
  return { ...api_keys[0], api_key: service.apiKey };
}

function shown(
  { tenantId }: TestService,
  fields: { envelopeOnly?: boolean; monthlyEncryptQuota?: number | null },
) {
  const { envelopeOnly = false, monthlyEncryptQuota = null } = fields;
  return JSON.stringify({
    tenant_id: tenantId,
    name: tenantId,
    envelope_only: envelopeOnly,
    monthly_encrypt_quota: monthlyEncryptQuota,
  });
}
