import { formatApiKey } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';

const ofHttp =
  /\b(?:GET|POST|PUT|PATCH|DELETE)\b|\/v1\/|\b[Hh]eaders?\b|Authorization|Content-Type|[Qq]uery parameter\b/;

test('what the service advises is a call of the client, also in a batch', async () => {
  const { client, keyId, make } = await observedClient();
  const bundle = await client.encrypt('x');
  await client.keys.disable(keyId);
  const messages = async (call: Promise<unknown>): Promise<string> =>
    String(await call.catch((error: unknown) => error));
  expect(await messages(make().encrypt('x'))).toMatch(/: enable it first with `keys\.enable`\.$/);
  const [result] = await make().encryptMany(['x', 'y'], { fresh: true });
  expect(String(!result?.ok && result?.error)).toMatch(/: enable it first with `keys\.enable`\.$/);
  const other = '00000000-0000-4000-8000-000000000001';
  expect(await messages(client.keys.get(other))).toMatch(/key_id that `keys\.create` returned/);
  expect(await messages(client.apiKeys.get(other))).toContain('`apiKeys.create` returned');
  expect(await messages(client.keys.page({ status: 'gone' as 'active' }))).toContain(
    ': `status` must be one of',
  );
  expect(await messages(client.keys.page({ foo: 1 } as object))).toContain(
    ': Unknown `foo`: this call takes',
  );
  expect(await messages(client.serverMode.encrypt({ key_id: keyId, plaintext: 'x' }))).not.toMatch(ofHttp);
  // An API key that no service knows, with the right checksum.
  const stranger = make({ apiKey: formatApiKey(new Uint8Array(32)) });
  expect(await messages(stranger.decrypt(bundle))).toMatch(
    /create another API key .* \(the API key that ends in \w{4} was refused\)$/,
  );
});
