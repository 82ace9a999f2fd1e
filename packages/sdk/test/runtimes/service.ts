import { EaasClient } from '@eaas/sdk';
import { openWorld, settle } from '@eaas/test-kit/world';
import { vectors } from '@eaas/test-kit/vectors';
import type { Settings } from '@eaas/test-kit/runtimes/case';

export type Settled = Settings & { readonly apiKey: string };

export type RunningService = Awaited<ReturnType<typeof openService>>;

export async function openService() {
  const world = await openWorld(new Date().toISOString());
  const replica = world.replica();
  const baseUrl = await world.serve(replica);
  return {
    async settle(name: string): Promise<Settled> {
      const { token: apiKey } = await settle(replica, name);
      await using client = new EaasClient({ baseUrl, apiKey });
      const { key_id: keyId } = await client.keys.create({ name: 'main' });
      const { key_id: otherKeyId } = await client.keys.create({ name: 'other' });
      const { key_id: intakeKeyId } = await client.keys.create({ name: 'forms', intake: true });
      const { intake_public_key } = await client.publicKey(intakeKeyId);
      if (intake_public_key === null) {
        throw new Error('the service must return the public key of the intake key (got null)');
      }
      return {
        baseUrl,
        apiKey,
        keyId,
        otherKeyId,
        intake: { keyId: intakeKeyId, publicKey: intake_public_key },
        vectors: {
          messages: vectors('envelope-v1'),
          streams: vectors('envelope-v2'),
          intake: vectors('intake'),
          locked: vectors('local-lock'),
        },
      };
    },
    close: () => world.close(),
  };
}
