import { EaasClient } from '@eaas/sdk';
import { openWorld, settle } from '@eaas/test-kit/world';
import { vectors } from '@eaas/test-kit/vectors';
import type { Settings } from '@eaas/test-kit/runtimes/case';

export type Settled = Settings & {
  readonly apiKey: string;
  readonly common: { readonly keyId: string; readonly apiKey: string };
};

export type RunningService = Awaited<ReturnType<typeof openService>>;

export async function openService() {
  const world = await openWorld(new Date().toISOString());
  const replica = world.replica();
  const baseUrl = await world.serve(replica);
  const { token } = await settle(replica, 'common');
  await using source = new EaasClient({ baseUrl, apiKey: token });
  const { key_id: commonKeyId } = await source.keys.create({ name: 'common' });
  const common = { keyId: commonKeyId, apiKey: token };
  return {
    async settle(name: string): Promise<Settled> {
      const { token: apiKey } = await settle(replica, name);
      await using client = new EaasClient({ baseUrl, apiKey });
      const [key, other, rotated] = await Promise.all(
        ['main', 'other', 'rotated'].map((of) => client.keys.create({ name: of })),
      );
      if (!key || !other || !rotated) throw new Error('no keys');
      const { key_id: intakeKeyId } = await client.keys.create({ name: 'forms', intake: true });
      const { intakePublicKey } = await client.publicKey(intakeKeyId);
      if (intakePublicKey === null)
        throw new Error('the service must return the public key of the intake key (got null)');
      const text = 'from before the rotation';
      const { ciphertext } = await client.encrypt(text, { keyId: rotated.key_id });
      await client.keys.rotate({ key_id: rotated.key_id });
      return {
        baseUrl,
        apiKey,
        keyId: key.key_id,
        otherKeyId: other.key_id,
        intake: { keyId: intakeKeyId, publicKey: intakePublicKey },
        old: { keyId: rotated.key_id, ciphertext, text },
        common,
        vectors: {
          messages: vectors('envelope-v1'),
          streams: vectors('envelope-v2'),
          intake: vectors('intake'),
          people: vectors('people'),
        },
      };
    },
    close: () => world.close(),
  };
}
