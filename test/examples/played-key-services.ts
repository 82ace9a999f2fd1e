// Key services for the scripts and modules of examples/local-kms: their programs, and what AWS KMS and Transit answer to who
// asks them by HTTP, which those programs work out.
import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { newDirectory } from '@eaas/test-kit/directory';
import { listening } from '@eaas/test-kit/listening';
import { root } from '@eaas/test-kit/markdown';
import type { Environment } from '@eaas/test-kit/program';

type Asked = Readonly<Partial<Record<'ciphertext' | 'CiphertextBlob' | 'Plaintext', string>>> & {
  readonly EncryptionContext?: object;
};
const token = 'hvs.of-the-test';

/** Returns the environment in which programs and apps find them. */
export async function playKeyServices(): Promise<Environment> {
  const folder = await newDirectory();
  for (const name of ['aws', 'gcloud', 'az', 'bao']) {
    symlinkSync(join(root, 'test/examples/key-service.mjs'), join(folder, name));
  }
  const server = createServer((request, response) => {
    respond(folder, request, response).catch(() => response.writeHead(400).end());
  });
  const url = `http://127.0.0.1:${await listening(server)}`;
  const aws = { AWS_ENDPOINT_URL: url, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'a' };
  const region = { AWS_REGION: 'a', AWS_DEFAULT_REGION: 'a' };
  return { ...aws, ...region, PATH: `${folder}:${process.env['PATH']}`, VAULT_ADDR: url, VAULT_TOKEN: token };
}

async function respond(folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const played = (name: string, words: readonly string[]): string =>
    execFileSync(join(folder, name), words, { encoding: 'utf8', stdio: 'pipe' }).trim();
  const [, key] = /^\/v1\/transit\/decrypt\/(.+)$/.exec(request.url ?? '') ?? [];
  const asked = (await json(request)) as Asked;
  if (key === undefined) {
    const { CiphertextBlob = '', Plaintext, EncryptionContext = {} } = asked;
    const [verb, given, answer] = Plaintext
      ? ['encrypt', '--plaintext', 'CiphertextBlob']
      : ['decrypt', '--ciphertext-blob', 'Plaintext'];
    const context = Object.entries(EncryptionContext).map((pair) => pair.join('='));
    const words = ['kms', verb, '--key-id', 'a', '--encryption-context', context.join(), '--query', answer];
    const file = join(folder, crypto.randomUUID());
    writeFileSync(file, Buffer.from(Plaintext ?? CiphertextBlob, 'base64'));
    const text = played('aws', [...words, '--output', 'text', given, `fileb://${file}`]);
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    response.end(JSON.stringify({ [answer]: text }));
  } else if (request.headers['x-vault-token'] === token) {
    const words = ['write', '-field=plaintext', `transit/decrypt/${key}`, `ciphertext=${asked.ciphertext}`];
    response.end(JSON.stringify({ data: { plaintext: played('bao', words) } }));
  } else response.writeHead(403).end();
}
