import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf, read, root } from '@eaas/test-kit/markdown';
import { createDatabase, type TestDatabase } from '@eaas/test-kit/database';
import { requireTools } from '@eaas/test-kit/tools';
import { folderOf, generateClient, majors } from './generated-client.ts';

const page = read('packages/prisma/docs/from-prisma-field-encryption.md');
const [model = ''] = blocksOf(page, 'prisma');
const oldKey = `k1.aesgcm256.${'A'.repeat(43)}=`;

const code = [
  `import { PrismaPg } from '@prisma/adapter-pg';
   import { PrismaClient } from './client/client.ts';
   import { createIndexKey } from '@eaas/sdk/fields';
   import { eaas as admin } from '@eaas/test-kit/played-service';
   process.env.EAAS_INDEX_KEY = await createIndexKey(admin);
   const prisma = new PrismaClient({ adapter: new PrismaPg(JSON.parse(process.env.CONNECTION!)) });`,
  ...blocksOf(page, 'ts'),
  `console.log((await db.user.findUnique({ where: { email } }))?.name); // Ada
   await prisma.$disconnect();`,
].join('\n');

const said = Array.from(code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm), ([, output]) => `${output}\n`);

describe.each(majors)('Prisma %i', (major) => {
  const folder = folderOf(major, 'from-field-encryption');
  let database: TestDatabase;
  let sql: postgres.Sql;

  beforeAll(async () => {
    const peers = await requireTools('test/tools/peers');
    const { encryptStringSync: cloaked } = createRequire(join(peers, 'peers.cjs'))('@47ng/cloak') as {
      encryptStringSync: (text: string, key: string) => string;
    };
    await generateClient(major, folder, model);
    symlinkSync(peers, join(folder, 'node_modules'));
    writeFileSync(join(folder, 'page.mts'), code);
    const compilerOptions = { noPropertyAccessFromIndexSignature: false };
    const exclude = ['**/node_modules'];
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.mts'], exclude };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    database = await createDatabase();
    sql = postgres({ ...database.connection('owner'), max: 1 });
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
  });

  afterAll(async () => {
    await sql.end();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  function run(args: readonly string[]): Promise<string> {
    const { host, port, database: name, username: user } = database.connection('owner');
    const CONNECTION = JSON.stringify({ host, port, database: name, user });
    const env = { ...process.env, CONNECTION, PRISMA_FIELD_ENCRYPTION_KEY: oldKey };
    return new Promise((resolve) => {
      execFile(process.execPath, args, { cwd: folder, env }, (_, stdout, stderr) => resolve(stdout + stderr));
    });
  }

  test('the code of the page compiles', async () => {
    expect(await run([join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'])).toBe('');
  });

  test('the page moves values of @47ng/cloak to ciphertexts', async () => {
    expect(said).toHaveLength(4);
    const program = ['--no-deprecation', '--conditions=@eaas/source', '--import', 'tsx', 'page.mts'];
    expect(await run(program)).toBe(said.join(''));
    const rows = await sql`select name, email from "User" order by id`;
    expect(
      rows.flatMap(({ name, email }) => [name, email]).map((value) => value?.slice(0, 5) as unknown),
    ).toEqual(['eaasA', 'eaasA', undefined, 'eaasA']);
  });
});
