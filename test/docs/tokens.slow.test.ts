// Runs the block of docs/start/tokens.md for Prisma. quick-start.slow.test.ts follows the rest of the page.
import { closing } from '@eaas/test-kit/closing';
import { read } from '@eaas/test-kit/markdown';
import { expect, test } from 'vitest';
import { formatSealed, newSealed } from '../../packages/local/src/sealed.ts';
import { openPrograms } from '../../packages/prisma/test/programs.ts';

test('the code for Prisma compiles, and does what the code for Drizzle does', async () => {
  const code = /```ts prisma\.mts\n(.*?)```/s.exec(read('docs/start/tokens.md'))?.[1] ?? '';
  const before = `
import { PrismaPg } from '@prisma/adapter-pg';
import { localService } from '@eaas/local';
import { withEncryption } from '@eaas/prisma';
import { EaasClient } from '@eaas/sdk';
import { defineFields, field } from '@eaas/sdk/fields';
import { PrismaClient } from './client/client.ts';
const prisma = new PrismaClient({ adapter: new PrismaPg(JSON.parse(process.env.DATABASE!)) });
const eaas = new EaasClient({ service: localService({ sealed: process.env.EAAS_LOCAL }) });
`;
  const model =
    'model Connector {\n id String @id @default(uuid())\n user String\n key String\n key_index String?\n}\n';
  const files = { 'app.mts': `${before}${code}\nawait prisma.$disconnect();` };
  const programs = await closing(openPrograms(7, 'tokens', model, files), (it) => it.close());
  await programs.sql`create table "Connector" (id text primary key, "user" text, key text, key_index text)`;
  expect(await programs.compile()).toBe('');
  expect(await programs.run('app.mts', { EAAS_LOCAL: formatSealed(newSealed(Date.now())) })).toBe(
    'ada sk-ada-1\n',
  );
  const [stored] = await programs.sql`select key from "Connector"`;
  expect(stored).toMatchObject({ key: expect.stringMatching(/^eaasA/) as string });
});
