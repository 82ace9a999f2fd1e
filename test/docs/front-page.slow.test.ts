// Runs the code at the top of the front page. quick-start.slow.test.ts follows docs/start/tokens.md.
import { join } from 'node:path';
import { createDatabase } from '@eaas/test-kit/database';
import { blocksOf, read, root } from '@eaas/test-kit/markdown';
import { savePageCode } from '@eaas/test-kit/page-code';
import { afterAll, expect, test } from 'vitest';
import { formatSealed, newSealed } from '../../packages/local/src/sealed.ts';

const [code = ''] = blocksOf(read('README.md'), 'ts');
const around = `
import { encrypted, encryptedTable, withEncryption } from '@eaas/drizzle/pg';
import { localService } from '@eaas/local';
import { EaasClient } from '@eaas/sdk';
import { field } from '@eaas/sdk/fields';
import { text } from 'drizzle-orm/pg-core';
import { drizzle as connect } from 'drizzle-orm/postgres-js';
const [url, token] = [process.env.CONNECTION!, '1//0gRefreshToken'];
const drizzle = (connection: string) => connect({ connection: JSON.parse(connection) });
const plain = drizzle(url).$client;
await plain\`create table accounts (id text primary key, token text not null)\`;
${code.replace(/^await (.*); \/\/ \[/m, 'console.log(await $1); // [')}
console.log(await plain\`select token from accounts\`);
process.exit();
`;
const saved = savePageCode(join(root, 'node_modules/.cache/front-page'), { 'app.mts': around });
afterAll(saved.remove);

test('the code of the front page compiles, stores a ciphertext, and reads the token', async () => {
  const database = await createDatabase();
  expect(await saved.compile()).toBe('');
  const CONNECTION = JSON.stringify(database.connection('owner'));
  const EAAS_LOCAL = formatSealed(newSealed(Date.now()));
  const said = await saved.run('app.mts', { CONNECTION, EAAS_LOCAL });
  await database.drop();
  const [, read = 'no comment'] = /\/\/ (\[.*\])$/m.exec(code) ?? [];
  expect(said).toContain(read);
  expect(said).toMatch(/token: 'eaasA/);
});
