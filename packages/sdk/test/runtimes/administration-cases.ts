import { type ClientOptions, EaasClient } from '@eaas/sdk';
import { checkAudit } from '@eaas/audit';
import { createTestService } from '@eaas/local';
import type { Case, Scene } from '@eaas/test-kit/runtimes/case';
import { holds, refused, same } from './expect.ts';

export interface ProgramScene extends Scene {
  readonly connect: (options?: ClientOptions & { readonly apiKey?: string }) => EaasClient;
}

export const administrationCases: readonly Case<ProgramScene>[] = [
  {
    name: 'keys are created, listed, rotated, disabled and enabled',
    run: async ({ connect }) => {
      const { keys } = connect();
      const name = `of the suite, ${crypto.randomUUID()}`;
      const { key_id } = await keys.create({ name });
      same(
        (await keys.page({ name })).keys.map((key) => key.key_id),
        [key_id],
        'the list',
      );
      same((await keys.rotate({ key_id })).key_version, 2, 'the version');
      same((await keys.disable({ key_id })).status, 'disabled', 'the status');
      await refused(() => keys.rotate({ key_id }), 'key_state');
      same((await keys.enable({ key_id })).status, 'active', 'the status');
      await keys.setRotationPolicy({ key_id, interval_days: 90 });
      same((await keys.setMinVersion({ key_id, key_version: 2 })).min_version, 2, 'the oldest version');
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
    name: 'an API key works until it is revoked, and no error shows it',
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
    name: 'what was encrypted for a person opens for nobody else, and not after an erasure',
    run: async ({ connect }) => {
      const subject = crypto.randomUUID();
      const client = connect();
      const bundle = await client.as('user 7').encrypt('a secret', { subject });
      same(await connect().decrypt(bundle, { subject, as: 'text' }), 'a secret', 'the text');
      await refused(() => connect().decrypt(bundle), 'input');
      await refused(() => connect().decrypt(bundle, { subject: 'another' }), 'decryption');
      same((await client.subjects.show({ subject })).erased_at, null, 'the time of the erasure');
      await client.subjects.erase({ subject });
      for (const one of [client, connect()]) {
        await refused(() => one.decrypt(bundle, { subject }), 'subject_erased');
        await refused(() => one.encrypt('a secret', { subject }), 'subject_erased');
      }
    },
  },
  {
    name: 'rewrap keeps the value and moves it to the newest version of its key',
    run: async ({ connect, old }) => {
      const client = connect({ keyId: old.keyId });
      const moved = await client.rewrap(old.ciphertext);
      same([moved.key_version, moved.rewrapped], [2, true], 'the version');
      same(await client.decrypt(moved.ciphertext, { as: 'text' }), old.text, 'the text');
      same((await client.rewrap(moved.ciphertext)).rewrapped, false, 'a second time');
    },
  },
  {
    name: 'the client decrypts values of the service, and the service decrypts values of the client',
    run: async ({ connect, keyId }) => {
      const client = connect();
      const context = { row: '1' };
      const theirs = await client.serverMode.encrypt({ key_id: keyId, plaintext: 'a secret', context });
      same(await client.decrypt(theirs, { as: 'text', context }), 'a secret', 'ours');
      const ours = await client.encrypt('another', { context });
      same((await client.serverMode.decrypt({ ...ours, context })).plaintext, 'another', 'theirs');
    },
  },
  {
    name: 'the audit log is listed, and the service verifies it',
    run: async ({ connect, keyId }) => {
      const client = connect();
      await client.decrypt(await client.encrypt('a secret', { fresh: true }));
      const actions: string[] = [];
      for await (const { id, action } of client.audit.list({ key_id: keyId })) {
        holds(id > 0, 'an entry without a number');
        actions.push(action);
      }
      same(actions.slice(0, 2), ['key.unwrap', 'key.wrap'], 'the newest actions');
      same(actions.at(-1), 'key.create', 'the oldest action');
      const { valid, complete } = await client.audit.verify();
      same([valid, complete], [true, true], 'the verification');
    },
  },
  {
    name: 'checkAudit recomputes the audit log and resumes after the last verified entry',
    run: async ({ connect }) => {
      const client = connect();
      let state: unknown;
      const checked: number[] = [];
      for (let round = 0; round < 2; round++) {
        const report = await checkAudit(client, { state });
        state = report.state;
        same(report.findings, [], 'the findings');
        checked.push(report.checked);
        await client.encrypt('a secret', { fresh: true });
      }
      holds((checked[0] ?? 0) > 2, 'the first round read little');
      same(checked[1], 1, 'what the second round read');
    },
  },
  {
    name: 'the in-memory service responds, and returns errors that a test asks for',
    run: async () => {
      const service = createTestService();
      const { baseUrl, apiKey, fetch } = service;
      const { key_id: keyId } = service.createKey('main');
      const client = new EaasClient({ baseUrl, apiKey, keyId, fetch, retries: 0 });
      same(await client.decrypt(await client.encrypt('a secret'), { as: 'text' }), 'a secret', 'the text');
      service.failNext('unavailable');
      await refused(() => client.hash('a secret'), 'unavailable');
      same((await client.hash('a secret')).length, 64, 'the length of a fingerprint');
    },
  },
];
