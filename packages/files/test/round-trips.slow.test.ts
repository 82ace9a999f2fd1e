import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { decryptStream, encryptStream } from '@eaas/sdk/stream';
import { expect, test } from 'vitest';
import { done, newAccount, newPlace } from './command-line.ts';

const account = await newAccount();
const { client } = account;
const plaintext = randomBytes(300_000);

test('the SDK and eaas-files can each decrypt what the other encrypted', async () => {
  const place = await newPlace();
  await writeFile(place.at('a'), plaintext);
  expect(await place.type('eaas-files encrypt a', account.env)).toEqual(done);
  const sealed = new Blob([new Uint8Array(await readFile(place.at('a.eaas')))]).stream();
  const opened = new Response(sealed.pipeThrough(decryptStream(client)));
  expect(Buffer.from(await opened.arrayBuffer()).equals(plaintext)).toBe(true);
  const stream = new Blob(['from the SDK']).stream().pipeThrough(encryptStream(client));
  await writeFile(place.at('b.eaas'), Buffer.from(await new Response(stream).arrayBuffer()));
  await writeFile(place.at('text'), `${await client.encrypt(', a column')}\n`);
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
