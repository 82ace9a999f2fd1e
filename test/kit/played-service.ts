import { EaasClient } from '@eaas/sdk';
import { createIndexKey } from '@eaas/sdk/fields';
import { createTestService } from '@eaas/local';

const service = createTestService();
const files = new Map<string, Uint8Array>();

type Answer = (request: Request) => Promise<Response>;
const hosts: Record<string, Answer> = { 'eaas.test': service.fetch, 'files.example': store };

process.env['EAAS_BASE_URL'] = service.baseUrl;
process.env['EAAS_API_KEY'] = service.apiKey;
globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const answer = hosts[new URL(request.url).hostname];
  if (!answer) throw new TypeError('fetch failed');
  return answer(request);
};

export { service };
export const { key_id: keyId } = await service.createKey('customers');
process.env['EAAS_KEY_ID'] = keyId;
export const eaas = new EaasClient({ baseUrl: service.baseUrl, apiKey: service.apiKey, keyId });
process.env['EAAS_INDEX_KEY'] = await createIndexKey(eaas);

export function playPage(backend: Answer): void {
  Object.assign(globalThis, { location: { origin: 'https://app.example' } });
  hosts['app.example'] = (request) => {
    request.headers.set('cookie', 'session=42');
    request.headers.set('sec-fetch-site', 'same-origin');
    return backend(request);
  };
}

async function store(request: Request): Promise<Response> {
  if (request.method === 'PUT') {
    files.set(request.url, new Uint8Array(await request.arrayBuffer()));
    return new Response(null, { status: 201 });
  }
  const file = files.get(request.url) ?? new Uint8Array();
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get('range') ?? '') ?? [];
  const part = file.slice(Number(from), Number(to) + 1);
  const range = `bytes ${from}-${Number(from) + part.length - 1}/${file.length}`;
  return new Response(part, { status: 206, headers: { 'content-range': range } });
}
