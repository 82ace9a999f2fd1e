import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { EaasClient } from '@eaas/sdk';
import { decryptStream, encryptStream } from '@eaas/sdk/stream';
import { expect, onTestFinished, test } from 'vitest';
import { newAccount, newPlace } from './command-line.ts';

const account = await newAccount();

const done = { code: 0, stdout: '', stderr: '' };
const plaintext = randomBytes(300_000);

test('decrypt restores the name and the permissions of a file', async () => {
  const place = await newPlace();
  await writeFile(place.at('plan.txt'), 'ring twice');
  await chmod(place.at('plan.txt'), 0o640);
  expect(await place.type('eaas-files encrypt plan.txt', account.env)).toEqual(done);
  expect(await place.list()).toEqual(['plan.txt', 'plan.txt.eaas']);
  const back = 'mv plan.txt before && eaas-files decrypt plan.txt.eaas && cmp plan.txt before';
  expect(await place.type(back, account.env)).toEqual(done);
  for (const name of ['plan.txt', 'plan.txt.eaas'])
    expect((await stat(place.at(name))).mode & 0o777).toBe(0o640);
});

test.each([
  ['077', 0o666, 0o600],
  ['022', 0o755, 0o755],
  ['027', 0o4777, 0o750],
])(
  'with the umask %s, decrypt gives no permissions that the umask forbids',
  async (umask, ofCiphertext, ofPlaintext) => {
    const place = await newPlace();
    const encrypt = "echo '#!/bin/sh' > script && eaas-files encrypt script && rm script";
    expect(await place.type(encrypt, account.env)).toEqual(done);
    await chmod(place.at('script.eaas'), ofCiphertext);
    const decrypt = `umask ${umask} && eaas-files decrypt script.eaas && eaas-files decrypt script.eaas --out out/script`;
    expect(await place.type(decrypt, account.env)).toEqual(done);
    for (const name of ['script', 'out/script'])
      expect((await stat(place.at(name))).mode & 0o7777).toBe(ofPlaintext);
  },
);

test('a folder with subfolders is the same after encrypt and decrypt', async () => {
  const place = await newPlace();
  await mkdir(place.at('photos/2026'), { recursive: true });
  await writeFile(place.at('photos/a.jpg'), plaintext);
  await writeFile(place.at('photos/2026/b c.jpg'), '');
  const there = 'eaas-files encrypt --recursive photos --out away';
  expect(await place.type(there, account.env)).toEqual(done);
  const back = 'eaas-files decrypt -r away --out back && diff --recursive photos back';
  expect(await place.type(back, account.env)).toEqual(done);
  expect((await place.list()).filter((name) => name.startsWith('away'))).toEqual([
    'away',
    'away/2026',
    'away/2026/b c.jpg.eaas',
    'away/a.jpg.eaas',
  ]);
  const beside = 'eaas-files encrypt -r photos && eaas-files encrypt -r photos --force';
  expect(await place.type(beside, account.env)).toEqual(done);
  expect((await place.list()).filter((name) => name.endsWith('.eaas.eaas'))).toEqual([]);
});

test('encrypt follows a symbolic link only if the command line names it', async () => {
  const place = await newPlace();
  const lines = `mkdir box && echo 1 > box/a && ln -s a box/link && ln -s .. box/up
eaas-files encrypt -r box --out sealed && eaas-files encrypt box/link && eaas-files decrypt box/link.eaas --out -`;
  const stderr = 'Skipped 2 entries that are not files:\n  box/link (link)\n  box/up (link)\n';
  expect(await place.type(lines, account.env)).toEqual({ code: 0, stdout: '1\n', stderr });
  expect((await place.list()).filter((path) => path.startsWith('sealed/'))).toEqual(['sealed/a.eaas']);
});

test('every command counts and names the links, pipes and sockets that it skips in folders', async () => {
  const place = await newPlace();
  const socket = createServer().listen(place.at('socket.eaas'));
  onTestFinished(() => void socket.close());
  await once(socket, 'listening');
  const prepare = String.raw`mkdir -p box/in && echo 1 > box/a && eaas-files encrypt box/a && mv socket.eaas box/
cd box && mkfifo in/pipe in/pipe.eaas && ln -s a link && ln -s a.eaas link.eaas && ln -s in folder && ln -s none dead`;
  expect(await place.type(prepare, account.env)).toEqual(done);
  const encrypted = `Skipped 4 entries that are not files:
  box/dead (link)
  box/folder (link)
  box/in/pipe (pipe)
  box/link (link)
`;
  // A folder behind a link can contain files that end in .eaas. The other links and pipes have names that are not read.
  const read = `Skipped 4 entries that are not files:
  box/folder (link)
  box/in/pipe.eaas (pipe)
  box/link.eaas (link)
  box/socket.eaas (socket)
`;
  for (const [command, stderr] of Object.entries({
    'encrypt --quiet -r box --out e': encrypted,
    'inspect -r box': read,
    'rewrap -r box --json': read,
  })) {
    expect(await place.type(`eaas-files ${command}`, account.env)).toMatchObject({ code: 0, stderr });
  }
});

test('several output files are written to the folder of --out', async () => {
  const place = await newPlace();
  await mkdir(place.at('b'));
  await writeFile(place.at('one'), '1');
  await writeFile(place.at('b/two'), '2');
  expect(await place.type('eaas-files encrypt one b/two --out sealed', account.env)).toEqual(done);
  const decrypted = await place.type('eaas-files decrypt sealed/two.eaas --out -', account.env);
  expect(decrypted).toEqual({ ...done, stdout: '2' });
  expect(await place.list()).toEqual(['b', 'b/two', 'one', 'sealed', 'sealed/one.eaas', 'sealed/two.eaas']);
});

test('decrypt needs the context of a file, but not its original name', async () => {
  const place = await newPlace();
  await writeFile(place.at('a'), 'bound');
  const encrypt =
    'eaas-files encrypt a --context document=17 --context version=a=b && mv a.eaas renamed.eaas';
  expect(await place.type(encrypt, account.env)).toEqual(done);
  const line = 'eaas-files decrypt renamed.eaas --out - --context version=a=b';
  const wrong = await place.type(line, account.env);
  expect(wrong).toMatchObject({ code: 1, stdout: '' });
  expect(wrong.stderr).toMatch(/^renamed\.eaas: decryption failed: /);
  const right = await place.type(`${line} --context document=17`, account.env);
  expect(right).toEqual({ ...done, stdout: 'bound' });
});

test('the SDK and eaas-files can each decrypt what the other encrypted', async () => {
  const place = await newPlace();
  await writeFile(place.at('a'), plaintext);
  expect(await place.type('eaas-files encrypt a', account.env)).toEqual(done);
  const { EAAS_BASE_URL: baseUrl, EAAS_API_KEY: apiKey } = account.env;
  await using client = new EaasClient({ baseUrl, apiKey, keyId: account.keyId });
  const sealed = new Blob([new Uint8Array(await readFile(place.at('a.eaas')))]).stream();
  const opened = new Response(sealed.pipeThrough(decryptStream(client)));
  expect(Buffer.from(await opened.arrayBuffer()).equals(plaintext)).toBe(true);
  const stream = new Blob(['from the SDK']).stream().pipeThrough(encryptStream(client));
  await writeFile(place.at('b.eaas'), Buffer.from(await new Response(stream).arrayBuffer()));
  await writeFile(place.at('text'), `${(await client.encrypt(', a column')).ciphertext}\n`);
  await writeFile(place.at('bytes.eaas'), await client.encrypt(', bytea', { as: 'bytes' }));
  const lines = `eaas-files decrypt b.eaas --out -; eaas-files decrypt < text; eaas-files decrypt bytes.eaas --out -`;
  expect(await place.type(lines, account.env)).toEqual({ ...done, stdout: 'from the SDK, a column, bytea' });
});

test('at a terminal the command shows its progress, unless --quiet is passed', async () => {
  const place = await newPlace();
  await writeFile(place.at('big'), Buffer.alloc(60_000_000));
  const atTerminal = (command: string) =>
    place.type(`script --quiet --return --command '${command}' /dev/null < /dev/null`, account.env);
  const shown = await atTerminal('eaas-files encrypt big --out sealed');
  expect(shown.code).toBe(0);
  expect(shown.stdout).toMatch(/\[=* *\] +\d+% {2}[\d.]+ MiB/);
  expect(await atTerminal('eaas-files decrypt sealed --out back --quiet')).toEqual(done);
  const refused = await atTerminal('eaas-files encrypt big --out -');
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stdout).toContain('A terminal cannot show binary ciphertext');
});
