import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { selfSigned } from '@eaas/test-kit/certificate';
import { environmentOf, migrated, createDatabase } from '@eaas/test-kit/database';
import { newDirectory } from '@eaas/test-kit/directory';
import { freePort } from '@eaas/test-kit/free-port';
import { listening } from '@eaas/test-kit/listening';
import { eaas, run, serve } from '@eaas/test-kit/program';

const env = environmentOf((await createDatabase(migrated)).url);

test('a starting server refuses connections', async () => {
  const silent = createServer();
  const database = once(silent, 'connection') as Promise<[Socket]>;
  const url = `postgres://eaas@127.0.0.1:${await listening(silent)}/eaas`;
  const port = await freePort();
  const start = run([...eaas, 'serve'], { ...env, EAAS_DATABASE_URL: url, EAAS_PORT: String(port) });

  const [connection] = await database;
  await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
  connection.destroy();
  silent.close();
  expect((await start).stderr).toContain('database');
});

test('with a certificate and its key the server uses TLS', async () => {
  const { certificate, key } = selfSigned();
  const directory = await newDirectory();
  const files = {
    EAAS_TLS_CERT_FILE: join(directory, 'cert.pem'),
    EAAS_TLS_KEY_FILE: join(directory, 'key.pem'),
  };
  await writeFile(files.EAAS_TLS_CERT_FILE, certificate);
  await writeFile(files.EAAS_TLS_KEY_FILE, key, { mode: 0o600 });
  const server = await serve({ ...env, ...files, EAAS_HOST: '0.0.0.0' });
  onTestFinished(() => server.stop());
  const answer = await new Promise<{ status: number | undefined; type: string | undefined }>(
    (resolve, reject) => {
      get(`${server.baseUrl}/v1/keys`, { ca: certificate, servername: 'localhost' }, (response) => {
        resolve({ status: response.statusCode, type: response.headers['content-type'] });
        response.resume();
      }).on('error', reject);
    },
  );
  expect(answer).toStrictEqual({ status: 401, type: 'application/problem+json' });
});
