import { createTestService } from '@eaas/local';
import { expect, test } from 'vitest';
import { all } from '../../test/proxied.ts';
import { createBrowserClient } from '../browser/browser.ts';
import { EaasClient } from '../index.ts';
import { createProxy, type Grant } from './proxy.ts';

/** An app with a proxy in front of the service. `page` returns the client of a page whose session has the grant. */
async function openApp() {
  const service = createTestService();
  const { key_id: keyId } = await service.createKey('people');
  const bodies: string[] = [];
  const page = (grant: Partial<Grant> | undefined) => {
    const authorize = () => grant && { ...all, keys: [keyId], ...grant };
    const proxy = createProxy({ ...service, authorize });
    return createBrowserClient({
      proxyUrl: 'https://app.example/api/eaas',
      keyId,
      retries: 0,
      fetch: async (input, init) => {
        const request = new Request(input, init);
        request.headers.set('sec-fetch-site', 'same-origin');
        bodies.push(await request.clone().text());
        return proxy(request);
      },
    });
  };
  return { service, keyId, bodies, page, backend: new EaasClient({ ...service, keyId }) };
}

const ofUser = (user: string) => ({ context: { user } });
const withUser = (user: string) => ({ wrapContext: { user } });
const refusedWith = (code: string) => expect.objectContaining({ code }) as Error;

test('a page sends no plaintext, and only pages of the same user read what it encrypts', async () => {
  const { page, bodies } = await openApp();
  const context = { row: '7' };
  const bundle = await page(ofUser('1')).encrypt('blood type 0', { context });
  expect(await page(ofUser('1')).decrypt(bundle, { as: 'text', context })).toBe('blood type 0');
  expect(bodies).toHaveLength(2);
  expect(bodies.join()).not.toContain('blood');
  const other = page(ofUser('2'));
  await expect(other.decrypt(bundle, { context })).rejects.toEqual(refusedWith('decryption'));
  const pretending = other.decrypt(bundle, { context, ...withUser('1') });
  await expect(pretending).rejects.toEqual(refusedWith('bad_request'));
  await expect(page(undefined).decrypt(bundle)).rejects.toEqual(refusedWith('permission_missing'));
});

test('a page reaches only the data of its subject', async () => {
  const { page, backend } = await openApp();
  const own = page({ subject: '42', user: '7' });
  const subject = '42';
  const [value, other] = await Promise.all(['42', '43'].map((of) => backend.encrypt('x', { subject: of })));
  expect(await own.decrypt(value ?? '', { subject, as: 'text' })).toBe('x');
  const stranger = own.decrypt(other ?? '', { subject: '43' });
  await expect(stranger).rejects.toEqual(refusedWith('permission_missing'));
  await expect(own.decrypt(other ?? '', { subject })).rejects.toEqual(refusedWith('decryption'));
  const ofNobody = own.decrypt(await backend.encrypt('x'));
  await expect(ofNobody).rejects.toEqual(refusedWith('permission_missing'));
  const answer = await own.encrypt('y', { subject });
  expect(await backend.decrypt(answer, { subject, as: 'text' })).toBe('y');
  await backend.subjects.erase({ subject });
  const late = own.encrypt('z', { subject, fresh: true });
  await expect(late).rejects.toEqual(refusedWith('subject_erased'));
});
