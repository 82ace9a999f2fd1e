// Key services for the scripts and modules of examples/local-kms: their programs, and what AWS KMS and Transit answer to who
// asks them by HTTP. A ciphertext is as key-service.mjs makes it.
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { newDirectory } from '@eaas/test-kit/directory';
import { root } from '@eaas/test-kit/markdown';
import type { Environment } from '@eaas/test-kit/program';
import { onTestFinished } from 'vitest';

type Asked = Readonly<Partial<Record<'ciphertext' | 'CiphertextBlob' | 'Plaintext', string>>> & {
  readonly EncryptionContext?: object;
};
const token = 'hvs.of-the-test';

/** Returns the environment in which programs and apps find them. */
export async function playKeyServices(): Promise<Environment> {
  const folder = await newDirectory();
  for (const name of ['aws', 'gcloud', 'az', 'bao'])
    symlinkSync(join(root, 'test/examples/key-service.mjs'), join(folder, name));
  const server = createServer((...exchange) => void respond(...exchange)).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const aws = { AWS_ENDPOINT_URL: url, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'a' };
  const region = { AWS_REGION: 'a', AWS_DEFAULT_REGION: 'a' };
  return { ...aws, ...region, PATH: `${folder}:${process.env['PATH']}`, VAULT_ADDR: url, VAULT_TOKEN: token };
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, key] = /^\/v1\/transit\/decrypt\/(.+)$/.exec(request.url ?? '') ?? [];
  if (key !== undefined && request.headers['x-vault-token'] !== token) {
    response.writeHead(403).end();
    return;
  }
  const {
    ciphertext,
    CiphertextBlob = '',
    Plaintext,
    EncryptionContext = {},
  } = (await json(request)) as Asked;
  const context = Object.entries(EncryptionContext).map((pair) => pair.join('='));
  const label = Buffer.from(`sealed:${key ?? context.join()}:`);
  const given = Buffer.from(ciphertext?.replace('vault:v1:', '') ?? Plaintext ?? CiphertextBlob, 'base64');
  const answer = (name: string, bytes: Uint8Array): object => ({
    [name]: Buffer.from(bytes).toString('base64'),
  });
  const hidden = (bytes: Buffer): Buffer => Buffer.from(bytes.map((byte) => byte ^ 90));
  const opened = (): Buffer => {
    if (!given.subarray(0, label.length).equals(label)) throw new Error('not a ciphertext of this key');
    return hidden(given.subarray(label.length));
  };
  const body = Plaintext
    ? answer('CiphertextBlob', Buffer.concat([label, hidden(given)]))
    : key === undefined
      ? answer('Plaintext', opened())
      : { data: answer('plaintext', opened()) };
  response.setHeader('content-type', key ? 'application/json' : 'application/x-amz-json-1.1');
  response.end(JSON.stringify(body));
}
