import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatApiKey } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { asCalls } from './exchange.ts';

const ofHttp =
  /\b(?:GET|POST|PUT|PATCH|DELETE)\b|\/v1\/|\b[Hh]eaders?\b|Authorization|Content-Type|[Qq]uery parameter\b/;

/** The sentences in the code of a folder: literals of more than three words. */
function sentencesIn(folder: string): string[] {
  const root = fileURLToPath(new URL(folder, import.meta.url));
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return paths.flatMap((path) => {
    if (!path.endsWith('.ts') || path.endsWith('.test.ts')) return [];
    const code = readFileSync(join(root, path), 'utf8').replace(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*/gm, '');
    const literals = code.match(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*"/g) ?? [];
    return literals
      .map((literal) => literal.slice(1, -1).replaceAll('\\`', '`'))
      .filter((text) => text.split(/\s+/).length > 3 && !/\n|^POST \/v1\/keys\/:key_id/.test(text));
  });
}

// The app's own file server, an option of the client in a page, and the format of streams.
const aboutSomethingElse = /Content-Range|^`headers` must be|^the stream ends before its header/;

test.each([
  ['the SDK', '../', 50, (text: string) => text],
  ['an intake', '../../../protocol/src/intake/', 5, (text: string) => text],
  ['the service', '../../../service/src/', 50, asCalls],
])('no error of %s speaks of methods, headers, parameters or paths', (_, folder, least, said) => {
  const sentences = sentencesIn(folder).map(said);
  expect(sentences.length).toBeGreaterThan(least);
  const found = sentences.filter((text) => ofHttp.test(text) && !aboutSomethingElse.test(text));
  // What only other clients than the SDK can get wrong.
  const ofOthers = /Content-Encoding|`Content-Type|^Send a POST request|batch route/;
  expect(found.filter((text) => !ofOthers.test(text))).toEqual([]);
});

test('what the service advises is a call of the client, also in a batch', async () => {
  const { client, keyId, make } = observedClient();
  const bundle = await client.encrypt('x');
  await client.keys.disable({ key_id: keyId });
  const messages = async (call: Promise<unknown>): Promise<string> =>
    String(await call.catch((error: unknown) => error));
  expect(await messages(make().encrypt('x'))).toMatch(/: enable it first with `keys\.enable`\.$/);
  const [result] = await make().encryptMany(['x', 'y'], { fresh: true });
  expect(String(!result?.ok && result?.error)).toMatch(/: enable it first with `keys\.enable`\.$/);
  const other = '00000000-0000-4000-8000-000000000001';
  expect(await messages(client.keys.get({ key_id: other }))).toMatch(/key_id that `keys\.create` returned/);
  expect(await messages(client.apiKeys.get({ api_key_id: other }))).toContain('`apiKeys.create` returned');
  expect(await messages(client.keys.page({ status: 'gone' as 'active' }))).toContain(
    ': `status` must be one of',
  );
  expect(await messages(client.keys.page({ foo: 1 } as object))).toContain(
    ': Unknown `foo`: this call takes',
  );
  expect(await messages(client.serverMode.encrypt({ key_id: keyId, plaintext: 'x' }))).not.toMatch(ofHttp);
  // An API key that no service knows, with the right checksum.
  const stranger = make({ apiKey: formatApiKey(new Uint8Array(32)) });
  expect(await messages(stranger.decrypt(bundle))).toMatch(
    /create another API key .* \(the API key that ends in \w{4} was refused\)$/,
  );
});
