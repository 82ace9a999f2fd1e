import type { EaasClient } from '@eaas/sdk';
import type { Case, ConnectOptions, Scene } from './case.ts';
import { holds, refused, same } from './expect.ts';

/** Where a program holds an API key, which a page does not. */
export interface ProgramScene extends Scene {
  readonly connect: (options?: ConnectOptions & { readonly apiKey?: string }) => EaasClient;
}

/** What only the holder of an API key can ask for. */
export const administrationCases: readonly Case<ProgramScene>[] = [
  {
    name: 'keys are created, listed, rotated, disabled and enabled',
    run: async ({ connect }) => {
      const { keys } = connect();
      const name = `of the suite, ${crypto.randomUUID()}`;
      const { key_id } = await keys.create({ name });
      same(
        (await keys.list({ name })).keys.map((key) => key.key_id),
        [key_id],
        'the list',
      );
      same((await keys.rotate({ key_id })).key_version, 2, 'the version');
      same((await keys.disable({ key_id })).status, 'disabled', 'the status');
      await refused(() => keys.rotate({ key_id }), 'key_state');
      same((await keys.enable({ key_id })).status, 'active', 'the status');
      await keys.setRotationPolicy({ key_id, interval_days: 90 });
      const { versions, rotation_policy: policy } = await keys.get({ key_id });
      same(
        versions.map(({ key_version }) => key_version).sort((a, b) => a - b),
        [1, 2],
        'the versions',
      );
      same(policy, { interval_days: 90 }, 'the policy');
    },
  },
  {
    name: 'an API key works until it is revoked, and nothing shows it',
    run: async ({ connect, keyId }) => {
      const { apiKeys } = connect();
      const { api_key_id, api_key } = await apiKeys.create({ name: 'passing', permissions: ['encrypt'] });
      const client = connect({ apiKey: api_key });
      const { ciphertext } = await client.encrypt('a secret', { keyId });
      await refused(() => connect({ apiKey: api_key }).decrypt(ciphertext), 'permission_missing');
      await apiKeys.revoke({ api_key_id });
      const error = await refused(() => connect({ apiKey: api_key }).encrypt('a secret'), 'unauthorized');
      holds(!`${error.stack}${JSON.stringify(error)}`.includes(api_key), 'the error shows the API key');
    },
  },
  {
    name: 'a rewrapped value stays what it is, under the newest version of its key',
    run: async ({ connect, old }) => {
      const client = connect({ keyId: old.keyId });
      const moved = await client.rewrap(old.ciphertext);
      same([moved.key_version, moved.rewrapped], [2, true], 'the version');
      same(await client.decryptText(moved.ciphertext), old.text, 'the text');
      same((await client.rewrap(moved.ciphertext)).rewrapped, false, 'a second time');
      await client.close();
    },
  },
  {
    name: 'what the service encrypted is decrypted here, and the other way round',
    run: async ({ connect, keyId }) => {
      const client = connect();
      const context = { row: '1' };
      const theirs = await client.serverMode.encrypt({ key_id: keyId, plaintext: 'a secret', context });
      same(await client.decryptText(theirs, { context }), 'a secret', 'ours');
      const ours = await client.encrypt('another', { context });
      same((await client.serverMode.decrypt({ ...ours, context })).plaintext, 'another', 'theirs');
    },
  },
];
