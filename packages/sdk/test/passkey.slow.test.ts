// Halves of passkeys in a real browser, whose virtual authenticators have the extension `prf` or lack it.
import { randomBytes } from 'node:crypto';
import { whereAvailable } from '@eaas/test-kit/available';
import { authenticatorsOf } from '@eaas/test-kit/authenticator';
import { browserBuild } from '@eaas/test-kit/browser-build';
import { hasChromium, launchChromium } from '@eaas/test-kit/chromium';
import { closing } from '@eaas/test-kit/closing';
import { openPageServer } from '@eaas/test-kit/runtimes/page-server';
import { build } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { EaasClient } from '../src/index.ts';
import { createIntake } from '../src/intake/intake.ts';
import type { PasskeyHalf, SealedHalf } from '../src/passkey/passkey.ts';
import { createProxy, toNodeHandler } from '../src/proxy/proxy.ts';
import { all } from './observed-client.ts';
import { openService } from './runtimes/service.ts';

const subject = 'patient-7';
const context = { note: '1' };

async function openApp() {
  const service = await closing(openService(), (it) => it.close());
  const { baseUrl, apiKey, keyId, intake } = await service.settle('passkeys');
  const operations = ['wrap', 'unwrap'] as const;
  const grant = { keys: [keyId, intake.keyId], operations, subject, user: subject };
  const toService = toNodeHandler(createProxy({ baseUrl, apiKey, authorize: () => grant }));
  const contents = `
    import * as passkeys from '../src/passkey/passkey.ts';
    import { createBrowserClient } from '../src/browser/browser.ts';
    const { subject, context, keyId } = ${JSON.stringify({ subject, context, keyId })};
    const options = { rp: { id: 'localhost', name: 'Notes' }, user: { name: 'Ada' }, subject };
    const clientOf = (half) => createBrowserClient({ keyId, ...(half && { half }) });
    const encrypt = (half) => clientOf(half).encrypt('only I', { subject, context });
    const decrypt = (half, text) => clientOf(half).decrypt(text, { subject, context, as: 'text' });
    Object.assign(globalThis, passkeys, { subject, context, options, clientOf, encrypt, decrypt });`;
  const stdin = { contents, resolveDir: import.meta.dirname };
  const built = await build({ ...browserBuild, splitting: false, stdin, conditions: ['@eaas/source'] });
  const [script] = built.outputFiles;
  const server = await closing(openPageServer(`${script?.text}`, { api: toService }), (it) => it.close());
  const { browser } = await closing(launchChromium(), ({ close }) => close());
  return {
    admin: new EaasClient({ baseUrl, apiKey, keyId }),
    intake,
    async open() {
      const page = await browser.newPage();
      const load = () => page.goto(server.url.replace('127.0.0.1', 'localhost'));
      await load();
      const run = <T>(code: string, given: object = {}): Promise<T> =>
        page.evaluate(`(async ({ ${Object.keys(given).join()} }) => ${code})(${JSON.stringify(given)})`);
      const codeOf = (code: string, given?: object): Promise<unknown> =>
        run(`(${code}).then(() => 'done', ({ name, code }) => [name, code].join())`, given);
      return { page, load, run, codeOf, plug: await authenticatorsOf(page) };
    },
  };
}

whereAvailable('Chromium', hasChromium, () => {
  let app: Awaited<ReturnType<typeof openApp>>;
  beforeAll(async () => {
    app = await openApp();
  });

  test('a half opens after a reload, by two passkeys and by its recovery, which the log shows', async () => {
    const { page, load, run, codeOf, plug } = await app.open();
    const phone = await plug();
    const login = await run<string>(`navigator.credentials.create({ publicKey: {
      ...options, user: { id: new TextEncoder().encode('patient-7'), name: 'Ada', displayName: 'Ada' },
      challenge: new Uint8Array(32), pubKeyCredParams: [{ type: 'public-key', alg: -7 }], extensions: { prf: {} },
    } }).then(({ id }) => id)`);
    const { publicKey, keyId: key_id } = app.intake;
    const making = `createPasskeyHalf({ ...options, recovery: { publicKey } })
      .then(async ({ half, ...stored }) => ({ ...stored, ciphertext: await encrypt(half) }))`;
    const made = await run<PasskeyHalf & { ciphertext: string }>(making, { publicKey });
    const { ciphertext, sealed } = made;
    const reading = app.admin.decrypt(ciphertext, { subject, context });
    await expect(reading).rejects.toMatchObject({ code: 'decryption' });

    await load();
    const opened = 'openPasskeyHalf({ sealed, subject }).then((half) => decrypt(half, ciphertext))';
    expect(await run(opened, { sealed: [sealed], ciphertext })).toBe('only I');

    const add = 'addPasskeyHalf({ ...options, sealed, passkeys }).then(({ sealed }) => sealed)';
    const anew = { sealed: [sealed], passkeys: [] };
    expect(await codeOf(add, anew)).toBe('PasskeyError,known_passkey');
    const ofLogin = await run<SealedHalf>(add, { ...anew, passkeys: [login] });
    expect(ofLogin.passkey).toBe(login);
    // The laptop answers from the second ceremony on, which creates the passkey.
    const laptop = await plug({ transport: 'usb' });
    await laptop.setPresent(false);
    await page.exposeFunction('toLaptop', () =>
      Promise.all([phone.setPresent(false), laptop.setPresent(true)]),
    );
    await run(`void (navigator.credentials.create = (given) =>
      toLaptop().then(() => CredentialsContainer.prototype.create.call(navigator.credentials, given)))`);
    const both = { sealed: [sealed, await run<SealedHalf>(add, anew)], ciphertext };
    expect(await run(opened, both)).toBe('only I');
    await Promise.all([phone.setPresent(true), laptop.setPresent(false)]);
    expect(await run(opened, both)).toBe('only I');
    expect(await run(opened, { ...both, sealed: [ofLogin] })).toBe('only I');
    expect(await phone.passkeys()).toHaveLength(2);

    await Promise.all([phone.clear(), laptop.clear()]);
    expect(await codeOf(opened, both)).toBe('PasskeyError,cancelled');
    const aborted = 'openPasskeyHalf({ sealed, subject, signal: AbortSignal.abort() })';
    expect(await codeOf(aborted, both)).toBe('ClientError,aborted');
    const recovered =
      'recoverPasskeyHalf({ ...options, client: clientOf(), recovery, proof: { ciphertext, context } })';
    // The app gives the recovery to the person, so that the person's session may open it, and their log shows it.
    const given = async (text: string) => (await app.admin.rewrap(text, { subject })).ciphertext;
    const ofHalf = { context: { purpose: 'half', subject } };
    const planted = await createIntake({ publicKey }).encrypt(randomBytes(32), ofHalf);
    const [wrong, recovery] = [await given(planted), await given(`${made.recovery}`)];
    expect(await codeOf(recovered, { recovery: wrong, ciphertext })).toBe('DecryptionError,decryption');
    const reportOfPerson = () => all(app.admin.audit.report({ subject }));
    const before = await reportOfPerson();
    const read = `${recovered}.then(({ half }) => decrypt(half, ciphertext))`;
    expect(await run(read, { recovery, ciphertext })).toBe('only I');

    const unwraps = await all(app.admin.audit.list({ key_id, action: 'key.unwrap' }));
    expect(unwraps).toHaveLength(2);
    const entry = { action: 'key.unwrap', user: unwraps[0]?.metadata['user'], outcome: 'done' };
    expect((await reportOfPerson()).slice(0, -before.length)).toMatchObject([entry, entry, entry]);
  });

  test('without `prf` nothing is made, and the passkey does not stay', async () => {
    const { codeOf, plug } = await app.open();
    const { passkeys } = await plug({ hasPrf: false });
    expect(await codeOf('createPasskeyHalf(options)')).toBe('PasskeyError,no_prf');
    await expect.poll(passkeys).toEqual([]);
  });
});
