import { EaasClient } from '@eaas/sdk';
import { openWorld, settle } from '../world.ts';

export async function openBlindService() {
  const world = await openWorld(new Date().toISOString());
  const replica = world.replica();
  const { token: apiKey } = await settle(replica, 'acme');
  const options = { baseUrl: await world.serve(replica), apiKey };
  const { key_id: keyId } = await new EaasClient(options).keys.create({ name: 'patients' });
  const bodies: string[] = [];
  const hashed: number[] = [];
  const eaas = new EaasClient({
    ...options,
    keyId,
    async fetch(input, init) {
      const request = new Request(input, init);
      const body = await request.clone().text();
      const { pathname } = new URL(request.url);
      bodies.push(`${pathname} ${body}`);
      if (pathname === '/v1/hash/blind') hashed.push(JSON.parse(body).elements.length);
      return fetch(request);
    },
  });
  const counted = async <T>(work: () => PromiseLike<T>): Promise<{ result: T; hashed: number[] }> => {
    hashed.length = 0;
    const result = await work();
    return { result, hashed: [...hashed] };
  };
  const close = async (): Promise<void> => {
    await eaas.close();
    await world.close();
  };
  return { eaas, bodies, counted, close };
}
