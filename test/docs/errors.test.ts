// The page on errors has the texts that users see, in its headings: each is provoked here, in their order.
import { encrypted, encryptedTable, withEncryption } from '@eaas/drizzle/sqlite';
import { createLocalService, createTestService } from '@eaas/local';
import { EaasClient } from '@eaas/sdk';
import { defineFields, field, unencrypted } from '@eaas/sdk/fields';
import { read } from '@eaas/test-kit/markdown';
import { vectors } from '@eaas/test-kit/vectors';
import { eq, like } from 'drizzle-orm';
import { text } from 'drizzle-orm/sqlite-core';
import { drizzle } from 'drizzle-orm/sqlite-proxy';
import { expect, test } from 'vitest';

const service = createTestService();
const { key_id: keyId } = await service.createKey('users');
const { key_id: old } = await service.createKey('old');
const eaas = new EaasClient({ ...service, keyId, cache: { encrypt: false } });
const underOld = await eaas.encrypt('x', { keyId: old });
await eaas.keys.disable(old);
const subject = crypto.randomUUID();
const ofPerson = await eaas.encrypt('x', { subject });
await eaas.subjects.erase({ subject });
const { api_key: apiKey, api_key_id: writer } = await service.createApiKey({ permissions: ['encrypt'] });
const app = new EaasClient({ ...service, keyId, apiKey });
const rows = defineFields({ users: { ...unencrypted('id'), email: field.text() } }).for(eaas);
const stored = await rows.encryptRow('users', 1, { email: 'ada@example.com' });
const [email, note] = [encrypted(field.text().searchable()), encrypted(field.text())];
const users = encryptedTable('users', { id: text().primaryKey(), email, note });
const plain = drizzle(async () => ({ rows: [] }));
const find = (index?: 'service') => withEncryption(plain, eaas, { index }).select().from(users);
const [{ text: sealed } = { text: '' }] = vectors('local-lock').cases;
const open = () => Promise.reject(new Error('denied'));

const provoked: readonly (() => unknown)[] = [
  () => rows.decryptRow('users', 2, stored),
  () => eaas.decrypt(underOld),
  () => eaas.decrypt('hello'),
  () => rows.decryptRow('users', 1, { email: 'ada@example.com' }),
  () => eaas.decrypt(stored.email.slice(0, 100)),
  () => eaas.decrypt(ofPerson),
  () => find('service').where(like(users.email, 'a%')),
  () => find('service').where(eq(users.note, 'a')),
  () => find().where(eq(users.email, 'a')),
  () => plain.insert(users).values({ id: '1', email: 'a' }),
  () => new EaasClient({ baseUrl: 'http://127.0.0.1:1', apiKey, keyId, retries: 0 }).encrypt('x'),
  () => app.decrypt(stored.email),
  () => eaas.apiKeys.revoke(writer).then(() => app.encrypt('x')),
  () => eaas.decrypt(ofPerson, { subject }),
  () => eaas.encrypt('x', { keyId: old }),
  () => eaas.encrypt('x', { keyId: crypto.randomUUID() }),
  () => createLocalService({ sealed: undefined }),
  () => createLocalService({ sealed }),
  () => new EaasClient({ service: createLocalService({ sealed, open }) }).encrypt('x'),
];
const lines = read('docs/errors.md').match(/(?<=^### )`.+/gm) ?? [];
const headings = lines.map((line) => line.replace(/^(`+) ?(.+?) ?\1$/, '$2'));
const cases = provoked.map((provoke, at) => ({ said: headings[at] ?? 'no heading', provoke }));

test('the page has no other texts', () => expect(headings).toHaveLength(cases.length));

test.each(cases)('$said', async ({ said, provoke }) => {
  const thrown: unknown = await Promise.resolve().then(provoke).catch(String);
  const shown = said.split('…').map((part) => part.replace(/[^\w ]/g, '\\$&'));
  const place = said.startsWith('…') ? '' : '(?:users\\.email of row \\d: )?';
  expect(thrown).toMatch(new RegExp(`^\\w+Error: ${place}${shown.join('.*')}$`));
});
