import { randomBytes } from 'node:crypto';
import type { Input, Route } from '@eaas/protocol/wire';
import { wipedBy } from '@eaas/test-kit/wiped-by';
import { expect, test } from 'vitest';
import { memoryStore } from '@eaas/local/internal';
import { rootKey } from '../crypto/tenant-secrets.ts';
import { run } from '../operate.ts';
import { insider } from '../operation.ts';
import { newTenant } from '../operations/tenants.ts';
import { createService } from '../service.ts';

const [store, roots] = [memoryStore({ now: Date.now }), [rootKey(randomBytes(32))] as const];
const service = createService({ store, roots });
const { record, head, writes } = newTenant(roots, { name: 'ann', envelope_only: false }, Date.now());
await store.create(head, writes);
const call = async <R extends Route>(route: R, input: Input<R>) =>
  (await run(service, insider(record.tenant_id, 'operator'), route, input)).answer;
const { key_id } = await call('POST /v1/keys', { name: 'key' });
const plaintext = 'secret';
const one = { key_id, dek: randomBytes(32).toString('base64') };
const { wrapped_key } = await call('POST /v1/keys/:key_id/wrap', one);
const bundle = await call('POST /v1/encrypt', { key_id, plaintext });
const item = { key_id, wrapped_key };

test.each<[string, () => unknown, number[]]>([
  ['wrap', () => call('POST /v1/keys/:key_id/wrap', one), [1, 2, 0]],
  ['unwrap', () => call('POST /v1/keys/:key_id/unwrap', item), [1, 1, 0]],
  ['a batch', () => call('POST /v1/batch/unwrap', { items: [item, item] }), [1, 2, 0]],
  ['encrypt', () => call('POST /v1/encrypt', { key_id, plaintext }), [1, 0, 1]],
  ['decrypt', () => call('POST /v1/decrypt', bundle), [1, 0, 1]],
])('%s wipes the memory of its sealer, and each copy of its data key and value', async (_, work, counts) => {
  const wiped = (await wipedBy(work)).map((it) => (it.length === 204 ? 'sealer' : it.toString('base64')));
  const secrets = ['sealer', one.dek, Buffer.from(plaintext).toString('base64')];
  expect(secrets.map((secret) => wiped.filter((each) => each === secret).length)).toEqual(counts);
});
