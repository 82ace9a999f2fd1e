import { fromUtf8, open } from '@eaas/protocol';
import { fromBase64 } from '@eaas/protocol/base64';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { intakeKey } from '@eaas/test-kit/intake-key';
import { whereAvailable } from '@eaas/test-kit/available';
import { hasChromium, launchChromium, type Page } from '@eaas/test-kit/chromium';
import { serveSplitPage } from './split-page.ts';

const { publicKey, keyId, unwrap } = intakeKey();

// Any other code in the page's script would increase the measured size of the entry point.
const intakeCode = "export { createIntake } from '@eaas/sdk/intake'";
const clientCode = "export { createBrowserClient } from '@eaas/sdk/browser'";

const inPage = (code: string): string => `(async () => {
  const { createIntake, createBrowserClient } = await import('/page.js');
  ${code}
})()`;
const onIntake = (call: string): string =>
  inPage(`return createIntake({ publicKey: '${publicKey}' }).${call};`);
const prime = onIntake("prime().then(() => 'primed')");
const encrypt = onIntake("encrypt('Ada').then(({ ciphertext }) => ciphertext)");
const onClient = (method: string): string =>
  inPage(`
  const fetch = () => Promise.reject(new TypeError('no service'));
  globalThis.client ??= createBrowserClient({ keyId: '${keyId}', retries: 0, fetch });
  return client.${method}('Ada').catch(({ code }) => code);`);

const withoutX25519 = `
  const { importKey } = SubtleCrypto.prototype;
  SubtleCrypto.prototype.importKey = function (...given) {
    if (given[2] !== 'X25519') return importKey.apply(this, given);
    return Promise.reject(new DOMException('Unrecognized name.', 'NotSupportedError'));
  };`;

const sizes = `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
  .map(({ name, encodedBodySize }) => [new URL(name).pathname, encodedBodySize])`;

whereAvailable('Chromium', hasChromium, () => {
  let chromium: Awaited<ReturnType<typeof launchChromium>>;
  let site: Awaited<ReturnType<typeof serveSplitPage>>;
  let clientSite: typeof site;
  const pages: Page[] = [];

  beforeAll(async () => {
    [chromium, site, clientSite] = await Promise.all([
      launchChromium(),
      serveSplitPage(intakeCode),
      serveSplitPage(clientCode),
    ]);
  });

  afterEach(async () => {
    for (const page of pages.splice(0)) await page.close();
  });

  afterAll(async () => {
    await chromium.close();
    await Promise.all([site.close(), clientSite.close()]);
  });

  async function visit({ url }: typeof site, script = ''): Promise<Page> {
    const page = await chromium.browser.newPage();
    pages.push(page);
    await page.addInitScript({ content: script });
    await page.goto(url);
    return page;
  }

  /** Returns the compressed bytes of all scripts that the page has loaded since the last call. */
  function loadedBy(page: Page): () => Promise<number> {
    const known = new Set<string>();
    return async () => {
      const loaded = await page.evaluate<[string, number][]>(sizes);
      const fresh = loaded.filter(([name]) => !known.has(name));
      for (const [name] of fresh) known.add(name);
      return fresh.reduce((sum, [, bytes]) => sum + bytes, 0);
    };
  }

  async function decrypted(ciphertext: unknown): Promise<string> {
    return fromUtf8(await open(fromBase64(String(ciphertext)), unwrap(), { keyId }));
  }

  test('a page loads at most 17,500 bytes for intake, and can then encrypt offline', async () => {
    const page = await visit(site);
    const loaded = await loadedBy(page)();
    expect(loaded).toBeGreaterThan(5_000);
    expect(loaded).toBeLessThanOrEqual(17_500);
    const before = site.requested.length;
    await page.context().setOffline(true);
    expect(await page.evaluate(prime)).toBe('primed');
    expect(await decrypted(await page.evaluate(encrypt))).toBe('Ada');
    expect(site.requested).toHaveLength(before);
  });

  test('if the platform lacks X25519, `prime` loads at most 7,000 bytes, and the page then encrypts offline', async () => {
    const page = await visit(site, withoutX25519);
    const loaded = loadedBy(page);
    await loaded();
    expect(await page.evaluate(prime)).toBe('primed');
    const onDemand = await loaded();
    expect(onDemand).toBeGreaterThan(1_000);
    expect(onDemand).toBeLessThanOrEqual(7_000);
    await page.context().setOffline(true);
    expect(await decrypted(await page.evaluate(encrypt))).toBe('Ada');
  });

  test('a page loads at most 24,000 bytes for the client', async () => {
    const page = await visit(clientSite);
    expect(await loadedBy(page)()).toBeLessThanOrEqual(24_000);
    expect(await page.evaluate(onClient('hash'))).toBe('network');
  });
});
