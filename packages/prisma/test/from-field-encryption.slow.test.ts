import { createHash } from 'node:crypto';
import { symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { blocksOf, read } from '@eaas/test-kit/markdown';
import { saidBy } from '@eaas/test-kit/page-code';
import { requireTools } from '@eaas/test-kit/tools';
import { majors } from './generated-client.ts';
import { openPrograms, type Programs } from './programs.ts';

const page = read('packages/prisma/docs/from-prisma-field-encryption.md');
const [model = ''] = blocksOf(page, 'prisma');
const oldKey = `k1.aesgcm256.${'A'.repeat(43)}=`;

const code = [
  `import { PrismaPg } from '@prisma/adapter-pg';
   import { PrismaClient } from './client/client.ts';
   import { createIndexKey } from '@eaas/sdk/fields';
   import { eaas as admin } from '@eaas/test-kit/played-service';
   process.env.EAAS_INDEX_KEY = await createIndexKey(admin);
   const prisma = new PrismaClient({ adapter: new PrismaPg(JSON.parse(process.env.DATABASE!)) });`,
  ...blocksOf(page, 'ts'),
  `console.log((await db.user.findUnique({ where: { email } }))?.name); // Ada
   await prisma.$disconnect();`,
].join('\n');

describe.each(majors)('Prisma %i', (major) => {
  let programs: Programs;

  beforeAll(async () => {
    const peers = await requireTools('test/tools/peers');
    const { encryptStringSync: cloaked } = createRequire(join(peers, 'peers.cjs'))('@47ng/cloak') as {
      encryptStringSync: (text: string, key: string) => string;
    };
    programs = await openPrograms(major, 'from-field-encryption', model, { 'page.mts': code });
    symlinkSync(peers, join(programs.folder, 'node_modules'));
    const { sql } = programs;
    await sql`create table "User" (
      id text primary key, name text, email text not null, email_hash text unique, email_index text unique)`;
    const hashOf = (text: string): string => createHash('sha256').update(text.toLowerCase()).digest('hex');
    const rowOf = (id: string, name: string | null, email: string) => ({
      id,
      name: name && cloaked(name, oldKey),
      email: cloaked(email, oldKey),
      email_hash: hashOf(email),
    });
    await sql`insert into "User" ${sql([rowOf('1', 'Ada', 'Ada@example.com'), rowOf('2', null, 'grace@example.com')])}`;
    return programs.close;
  });

  test('the code of the page compiles', async () => {
    expect(await programs.compile()).toBe('');
  });

  test('the page moves values of @47ng/cloak to ciphertexts', async () => {
    expect(saidBy(code).split('\n')).toHaveLength(5);
    const printed = await programs.run('page.mts', { PRISMA_FIELD_ENCRYPTION_KEY: oldKey });
    expect(printed).toBe(saidBy(code));
    const rows =
      await programs.sql`select left(name, 5) as name, left(email, 5) as email from "User" order by id`;
    expect(rows).toEqual([
      { name: 'eaasA', email: 'eaasA' },
      { name: null, email: 'eaasA' },
    ]);
  });
});
