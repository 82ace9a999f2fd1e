import { createHash } from 'node:crypto';

const keyId = '6f2c1c1e-9d1b-4c55-8e0e-2f1a5d0a7b11';

/** Answers `fetch` as the service would, with one key: its id. For code in documentation, and good for nothing else. */
export function playService(): string {
  const deks = new Map<string, string>();
  const calls: Record<string, (body: Record<string, string>) => object> = {
    [`/v1/keys/${keyId}/wrap`]({ dek = '' }) {
      const wrapped_key = Buffer.from(crypto.getRandomValues(new Uint8Array(78))).toString('base64');
      deks.set(wrapped_key, dek);
      return { wrapped_key, key_id: keyId, key_version: 1 };
    },
    [`/v1/keys/${keyId}/unwrap`]({ wrapped_key = '' }) {
      return { dek: deks.get(wrapped_key), key_id: keyId, key_version: 1 };
    },
    '/v1/hash'({ value = '' }) {
      return { hash: createHash('sha256').update(value).digest('hex'), key_id: keyId };
    },
  };
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const call = calls[new URL(request.url).pathname];
    if (!call) return new Response(null, { status: 404 });
    return Response.json(call((await request.json()) as Record<string, string>));
  };
  return keyId;
}
