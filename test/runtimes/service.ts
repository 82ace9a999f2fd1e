import type { AddressInfo } from 'node:net';
import { EaasClient } from '@eaas/sdk';
import { openDoors } from '../../packages/server/src/http/doors.ts';
import { createApp } from '../../packages/server/src/http/app.ts';
import { openWorld, settle } from '../setup/world.ts';
import { vectors } from '../vectors/vectors.ts';
import type { Settings } from './case.ts';

/** A running service. `settle` creates a tenant and returns its settings. */
export interface RunningService {
  settle(name: string): Promise<Settings & { readonly apiKey: string }>;
  close(): Promise<void>;
}

export async function openService(): Promise<RunningService> {
  const world = await openWorld(new Date().toISOString());
  const replica = world.replica();
  const app = createApp(openDoors(replica, { draining: false, jobs: [], verified: undefined }), {
    logLevel: 'error',
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const baseUrl = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return {
    async settle(name) {
      const { token: apiKey } = await settle(replica, name);
      await using client = new EaasClient({ baseUrl, apiKey });
      const [key, other, rotated] = await Promise.all(
        ['main', 'other', 'rotated'].map((of) => client.keys.create({ name: of })),
      );
      if (!key || !other || !rotated) throw new Error('no keys');
      const text = 'from before the rotation';
      const { ciphertext } = await client.encrypt(text, { keyId: rotated.key_id });
      await client.keys.rotate({ key_id: rotated.key_id });
      return {
        baseUrl,
        apiKey,
        keyId: key.key_id,
        otherKeyId: other.key_id,
        old: { keyId: rotated.key_id, ciphertext, text },
        vectors: { messages: vectors('envelope-v1'), streams: vectors('envelope-v2') },
      };
    },
    async close() {
      await app.close();
      await world.close();
    },
  };
}
