import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { EaasClient } from '@eaas/sdk';
import { ciphertextSize } from '@eaas/sdk/stream';
import postgres from 'postgres';
import { afterAll, expect, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { closing } from '@eaas/test-kit/closing';
import { listening } from '@eaas/test-kit/listening';
import { run } from '@eaas/test-kit/program';
import { blocksOf, linksOf, read, root } from '@eaas/test-kit/markdown';
import { authenticatorsOf } from '@eaas/test-kit/authenticator';
import { isInstalled, whereAvailable } from '@eaas/test-kit/available';
import { hasChromium, launchChromium } from '@eaas/test-kit/chromium';
import { freePort } from '@eaas/test-kit/free-port';
import { requireTools } from '@eaas/test-kit/tools';
import { openSurroundings } from './example.ts';

const isCiphertext = (text: unknown): boolean => /^eaasA[\w+/=]+$/.test(String(text));

const surroundings = await closing(openSurroundings(), (it) => it.close());
const sql = postgres({ ...surroundings.database.connection('owner'), max: 1 });
afterAll(() => sql.end());

const openBrowser = async () => (await closing(launchChromium(), ({ close }) => close())).browser;

test('the list of examples links to every example', () => {
  const names = readdirSync(`${root}examples`, { withFileTypes: true });
  const folders = names.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const linked = new Set(linksOf(read('examples/README.md')).map((link) => link.split('/')[0]));
  expect(folders.filter((folder) => !linked.has(folder))).toEqual([]);
  for (const folder of folders) {
    const manual = read(`examples/${folder}/README.md`);
    expect(manual).toMatch(/^# [A-Z]/);
    const [next = /\]\(\.\.\/\.\.\/docs\//.exec(manual)?.[0]] = blocksOf(manual, 'sh');
    expect(next).toBeTruthy();
    // The API key of `npm start` may only encrypt and decrypt.
    const programs = readdirSync(`${root}examples/${folder}`).filter((name) => name.endsWith('.mjs'));
    const code = programs.map((name) => read(`examples/${folder}/${name}`)).join('');
    const asked = /\.(?:keys|apiKeys|subjects)\./.test(code) ? '--permissions ' : '';
    expect(manual).toContain(asked);
  }
});

test.each([
  ['only-the-person/server.mjs', []],
  ['sign-up/server.mjs', []],
  ['upload-a-file/server.mjs', []],
])('%s prints one line about a port that is not free or not valid', async (file, args) => {
  const taken = String(await listening(createServer()));
  const folder = await newDirectory();
  const outputOf = (PORT: string) => {
    const env = { ...surroundings.env, PORT, UPLOADS: folder };
    return run([process.execPath, `examples/${file}`, ...args], env, { cwd: root });
  };
  const refused = (got: string) => ({
    code: 2,
    stdout: '',
    stderr: `PORT must be a free port (got ${got}): set PORT to another port\n`,
  });
  expect(await outputOf(taken)).toEqual(refused(`${taken}: EADDRINUSE`));
  expect(await outputOf('http')).toEqual(refused('http'));
});

test('encrypt-a-table encrypts the values while two versions of the app write', async () => {
  const stdout = await surroundings.node('encrypt-a-table/index.mjs');
  expect(stdout).toMatch(/\n {3}stage 2 may begin: [^\n]*\n3\. deploy/);
  expect(stdout).toMatch(/\n {3}2000 rows, \d+ encrypted, 0 with plaintext left\n/);
  const rows = await sql`select * from customers`;
  expect(rows).toHaveLength(2_000);
  expect(rows.filter(({ email, email_index }) => !isCiphertext(email) || !email_index)).toEqual([]);
  await expect(sql`update customers set email = 'ada@example.com' where id = 1`).rejects.toThrow('check');
  const definition = join(await newDirectory(), 'definition.mjs');
  const code = `import { defineFields, field } from '${root}packages/sdk/dist/fields/fields.js';
    export const fields = defineFields({ customers: { email: field.text().searchable() } });`;
  await writeFile(definition, code);
  const check = [process.execPath, 'packages/migrate/bin/eaas-migrate.mjs', 'check', definition, '--all'];
  const stderr = '2000 rows of 1 tables: 0 errors, 0 warnings (search for old values: 0 ms)\n';
  expect(await run(check, surroundings.env)).toEqual({ code: 0, stdout: '', stderr });
});

test('customer-key: after the no of a customer, only its values stay closed', async () => {
  const stdout = await surroundings.node('customer-key/index.mjs');
  const lines = stdout.split('\n').filter((line) => line.startsWith(' '));
  expect(lines.map((line) => line.trim())).toEqual([
    'acme: a bridge, and its key service was asked 1 time',
    'beta: a boat, and its key service was asked 1 time',
    'acme: half: the key service of acme responded with 403',
    'beta: a boat',
  ]);
});

const python = { program: 'python3', probe: 'import cryptography' };
const hasCryptography = spawnSync(python.program, ['-c', python.probe]).status === 0;

whereAvailable('python3 with the package cryptography', hasCryptography, () => {
  test('open-with-python decrypts a ciphertext only with its context', async () => {
    const ciphertext = await surroundings.node('open-with-python/encrypt.mjs');
    const open = (...context: string[]) =>
      run(['python3', 'examples/open-with-python/open.py', ...context], surroundings.env, {
        cwd: root,
        input: ciphertext,
      });
    expect(await open('table=notes', 'row=7')).toEqual({ code: 0, stdout: 'Ada, born 1815 ✓\n', stderr: '' });
    const refused = await open('table=notes', 'row=8');
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('InvalidTag');
  });
});

const go = isInstalled('go') ? 'go' : '/usr/local/go/bin/go';
const mlKem = `from cryptography.hazmat.primitives.asymmetric import mlkem
mlkem.MLKEM768PrivateKey.generate()`;
/** The writers of write-from-go-or-python, by what they need: a command, and one that ends well where they can run. */
const writers: [needs: string, command: string[], probe: string[]][] = [
  ['Go 1.26', [go, 'run', 'write.go'], [go, 'list', 'crypto/hpke']],
  ['python3 with cryptography 48', ['python3', 'write.py'], ['python3', '-c', mlKem]],
];

for (const [needs, command, [probe = '', ...words]] of writers) {
  whereAvailable(needs, spawnSync(probe, words).status === 0, () => {
    test(`the SDK opens what ${command.at(-1)} wrote, only with its context`, async () => {
      const { EAAS_BASE_URL: baseUrl, EAAS_API_KEY: apiKey } = surroundings.env;
      await using eaas = new EaasClient({ baseUrl, apiKey });
      const { key_id: keyId } = await eaas.keys.create({ name: needs, intake: true });
      await eaas.keys.rotate(keyId);
      const publicKey = String((await eaas.publicKey(keyId)).intake_public_key);
      const where = { cwd: `${root}examples/write-from-go-or-python`, input: '3 bär' };
      const write = (...args: string[]) => run([...command, ...args], {}, where);
      const { stdout, stderr } = await write(publicKey, 'b=1', 'b-c=ä');
      expect([stdout.trim().length, stderr]).toEqual([1_688, '']);
      const opening = ['write-from-go-or-python/open.mjs', keyId, stdout.trim(), 'b-c=ä', 'b=1'] as const;
      expect(await surroundings.node(...opening)).toBe('3 bär\n');
      const moved = eaas.decrypt(stdout.trim(), { keyId, context: { b: '1' } });
      await expect(moved).rejects.toMatchObject({ code: 'decryption' });
      const altered = await write(publicKey.replace('A', 'B'));
      expect([altered.code, altered.stdout]).toEqual([1, '']);
      expect(altered.stderr).toContain('must have the right checksum');
    });
  });
}

test('upload-a-file: no user can decrypt, download or continue the file of another user', async () => {
  const uploads = await newDirectory();
  const { url, stderr } = await surroundings.start('upload-a-file/server.mjs', {
    PORT: String(await freePort()),
    UPLOADS: uploads,
  });
  type Init = Omit<RequestInit, 'headers'> & { readonly headers: Record<string, string> };
  const signIn = async () => {
    const cookie = (await fetch(url)).headers.get('set-cookie')?.split(';')[0] ?? '';
    return (path: string, init: Init) =>
      fetch(`${url}${path}`, { ...init, headers: { ...init.headers, cookie, origin: url } });
  };
  const [ada, eve] = [await signIn(), await signIn()];
  const call = (as: typeof ada, operation: string, body: object) =>
    as(`/api/eaas/v1/keys/${surroundings.env['EAAS_KEY_ID']}/${operation}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const wrapped = await call(ada, 'wrap', { dek: Buffer.alloc(32).toString('base64') });
  const { wrapped_key } = (await wrapped.json()) as { wrapped_key: string };
  expect((await call(ada, 'unwrap', { wrapped_key })).status).toBe(200);
  expect((await call(eve, 'unwrap', { wrapped_key })).status).toBe(403);

  const file = `/files/${crypto.randomUUID()}`;
  const put = (as: typeof ada, offset: string) =>
    as(file, { method: 'PUT', headers: { 'upload-offset': offset }, body: 'ciphertext' });
  const get = (as: typeof ada) => as(file, { headers: { range: 'bytes=0-9' } });
  expect((await put(ada, '0')).status).toBe(204);
  expect((await get(eve)).status).toBe(416);
  expect((await put(eve, '10')).status).toBe(409);
  expect(await (await get(ada)).text()).toBe('ciphertext');
  expect((await fetch(`${url}${file}`)).status).toBe(403);
  expect(stderr()).toBe('');
});

whereAvailable('Chromium for the examples with pages', hasChromium, () => {
  test('sign-up stores only values that the page encrypted', async () => {
    const browser = await openBrowser();
    const server = await surroundings.start('sign-up/server.mjs', { PORT: String(await freePort()) });
    const page = await browser.newPage();
    await page.goto(server.url);
    const submit = async (name: string, email: string, expected: RegExp): Promise<void> => {
      await page.getByLabel('Name').fill(name);
      await page.getByLabel('Email').fill(email);
      await page.getByRole('button', { name: 'Sign up' }).click();
      await page.getByText(expected).waitFor();
    };
    await submit('Ada', 'Ada@example.com', /^Welcome!$/);
    await submit('Eve', 'ada@example.com', /signed up before/);
    const rows = await sql`select * from sign_ups`;
    expect(rows).toHaveLength(1);
    expect([rows[0]?.['name'], rows[0]?.['email']].every(isCiphertext)).toBe(true);
    expect(rows[0]?.['email_index']).toMatch(/^[0-9a-f]{64}$/);
    const find = (email: string) => surroundings.node('sign-up/search.mjs', email);
    expect(await find(' ADA@example.com')).toBe('Ada <Ada@example.com>\n');
    const decrypting = `fetch('/api/eaas/v1/keys/${surroundings.env['EAAS_KEY_ID']}/unwrap', {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"wrapped_key":"AQ=="}',
    }).then(({ status }) => status)`;
    expect(await page.evaluate(decrypting)).toBe(403);
    const plain = { id: crypto.randomUUID(), name: 'Ada', email: 'a@b.example', email_index: 'x' };
    const post = async (body: object) =>
      (await fetch(`${server.url}/sign-up`, { method: 'POST', body: JSON.stringify(body) })).status;
    expect(await post(plain)).toBe(400);
    const [{ name, email, email_index: ada } = {}] = rows;
    const encrypted = { id: crypto.randomUUID(), name, email };
    expect(await post({ ...encrypted, email_index: 'x' })).toBe(400);
    expect(await post({ ...encrypted, email_index: ada, more: 'x'.repeat(32_768) })).toBe(413);
    // Somebody stores other ciphertexts under Ada's fingerprint.
    await sql`delete from sign_ups`;
    await submit('Eve', 'eve@example.com', /^Welcome!$/);
    await sql`update sign_ups set email_index = ${String(ada)}`;
    expect(await find('ada@example.com')).toBe('Nobody has signed up with this email.\n');
  });

  test('clinic: patients open only their own data and see who else did, until they are erased', async () => {
    await requireTools('examples/clinic');
    const browser = await openBrowser();
    const clinic = await surroundings.start('clinic/server.mjs', {
      PORT: String(await freePort()),
      SIGN_IN_PORT: String(await freePort()),
    });
    const signIn = async (who: RegExp) => {
      const page = await browser.newPage();
      await page.goto(clinic.url);
      await page.getByRole('button', { name: who }).click();
      await page.locator('input[type=password]').fill('any');
      await page.getByRole('button', { name: 'Sign-in' }).click();
      await page.getByText('Sign out').waitFor();
      return page;
    };
    const ada = await signIn(/Ada/);
    const allergies = ada.getByLabel('Allergies of Ada Lovelace');
    await allergies.fill('penicillin');
    await ada.getByRole('button', { name: 'Save' }).click();
    await ada.getByText('Saved.').waitFor();
    expect(await ada.locator('#patients tbody tr').count()).toBe(1);
    expect(await ada.locator('#report').innerText()).not.toContain('somebody else');

    const chen = await signIn(/Chen/);
    await chen.getByLabel('Allergies of Ada Lovelace').waitFor();
    expect(await chen.getByLabel('Allergies of Ada Lovelace').inputValue()).toBe('penicillin');
    expect(await chen.getByLabel('Allergies of Ben Franklin').inputValue()).toBe('none known');

    const again = await signIn(/Ada/);
    await again
      .getByText(/^somebody else/)
      .first()
      .waitFor();
    const rows = await sql`select * from clinic_patients`;
    expect(rows.flatMap(({ name, allergies: text }) => [name, text]).every(isCiphertext)).toBe(true);

    const erased = await surroundings.node('clinic/erase.mjs', 'ada');
    expect(erased).toMatch(/^Ada Lovelace was erased at .* entry \d+ of the audit log: [\da-f]{64}\n$/);
    const later = await signIn(/Chen/);
    await later.getByRole('cell', { name: /^erased/ }).waitFor();
    await later.getByLabel('Allergies of Ben Franklin').waitFor();
    expect(clinic.stderr()).not.toContain('Error');
  });

  test('only-the-person: a passkey opens the notes, and neither the server nor its API key does', async () => {
    const browser = await openBrowser();
    const PORT = String(await freePort());
    const server = await surroundings.start('only-the-person/server.mjs', { PORT });
    const { EAAS_BASE_URL: baseUrl, EAAS_API_KEY: apiKey, EAAS_KEY_ID: keyId } = surroundings.env;
    await using eaas = new EaasClient({ baseUrl, apiKey, keyId });
    const page = await browser.newPage();
    const plug = await authenticatorsOf(page);
    await plug();
    const open = async () => {
      await page.goto(server.url);
      await page.getByRole('button', { name: 'Open my notes' }).click();
    };
    await open();
    await page.getByLabel('Note').fill('I sleep badly.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('I sleep badly.').waitFor();
    await open();
    await page.getByText('I sleep badly.').waitFor();
    const account = await (await fetch(`${server.url}/account`)).json();
    const [{ id, ciphertext }] = account.notes;
    const reading = eaas.decrypt(ciphertext, { subject: account.patient, context: { note: id } });
    await expect(reading).rejects.toMatchObject({ code: 'decryption' });
    const init = { method: 'POST', headers: { origin: server.url }, body: JSON.stringify(account) };
    expect((await fetch(`${server.url}/account`, init)).status).toBe(409);
    expect(server.stderr()).toBe('');
  });

  test('upload-a-file continues after lost connections', async () => {
    const uploads = await newDirectory();
    const browser = await openBrowser();
    const server = await surroundings.start('upload-a-file/server.mjs', {
      PORT: String(await freePort()),
      UPLOADS: uploads,
    });
    const page = await browser.newPage();
    // Of the uploads, the second does not arrive, half of the third arrives, and the response to the fourth is lost.
    await page.addInitScript({
      content: `const send = fetch; let puts = 0;
        globalThis.fetch = async (url, init) => {
          if (init?.method !== 'PUT' || ++puts > 4) return send(url, init);
          if (puts === 2) throw new TypeError('lost');
          const body = puts === 3 ? init.body.slice(0, init.body.size / 2) : init.body;
          const response = await send(url, { ...init, body });
          if (puts > 2) throw new TypeError('lost');
          return response;
        };`,
    });
    await page.goto(server.url);
    await page.getByText('Choose a file.').waitFor();
    await page.evaluate(`(() => {
      const lines = Array.from({ length: 2_000_000 }, (_, line) => String(line).padStart(9, '0') + ' ');
      const transfer = new DataTransfer();
      transfer.items.add(new File([lines.join('')], 'numbers.txt'));
      const input = document.querySelector('[name=file]');
      input.files = transfer.files;
      input.dispatchEvent(new Event('change'));
    })()`);
    await page.getByText(/^Stored 20000000 bytes/).waitFor();
    expect(await page.evaluate("document.querySelector('progress').value")).toBe(1);
    const [stored = ''] = await readdir(uploads);
    const bytes = await readFile(join(uploads, stored));
    expect(bytes.length).toBe(ciphertextSize(20_000_000));
    expect(bytes.includes('000000007 ')).toBe(false);
    await page.getByLabel(/Read 100 bytes/).fill('17000000');
    await page.getByRole('button', { name: 'Read' }).click();
    await page.getByText(/^001700000 001700001 .* 001700009/).waitFor();
    expect(server.stderr()).toBe('');
  });
});
