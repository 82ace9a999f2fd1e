// Tables of Drizzle of which the commands do not know where their parts are: they are refused, and not taken for tables without columns,
// names or constraints.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newDirectory } from '@eaas/test-kit/directory';
import { afterEach, expect, test, vi } from 'vitest';
import { placeOf } from './adopt/place.ts';
import { definedIn } from './definition.ts';

const parts = {
  Name: "'members'",
  Schema: 'undefined',
  Columns: "{ id: { name: 'id', primary: true }, ssn: { name: 'ssn', eaas: { role: 'value' } } }",
  ExtraConfigBuilder: 'undefined',
  ExtraConfigColumns: '{}',
};

/** Writes a module with a table that lacks a part. */
async function moduleWithout(lacking: string): Promise<string> {
  const members = Object.entries({ IsDrizzleTable: 'true', ...parts })
    .filter(([name]) => name !== lacking)
    .map(([name, code]) => `[Symbol.for('drizzle:${name}')]: ${code}`);
  const path = join(await newDirectory(), 'schema.mjs');
  writeFileSync(path, `export const members = { ${members.join(', ')} };\n`);
  return path;
}

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each(['Name', 'Schema', 'Columns', 'ExtraConfigBuilder'])(
  'a definition whose tables lack `drizzle:%s` is refused',
  async (part) => {
    const defined = definedIn(await moduleWithout(part));
    await expect(defined).rejects.toMatchObject({ name: 'InputError' });
    await expect(defined).rejects.toThrow(`lacks \`drizzle:${part}\``);
  },
);

test.each(['Name', 'Schema', 'Columns'])(
  'a schema whose tables lack `drizzle:%s` is refused',
  async (part) => {
    vi.stubEnv('DATABASE_URL', 'postgres://localhost/app');
    const place = placeOf(await moduleWithout(part), 'members');
    await expect(place).rejects.toMatchObject({ name: 'InputError' });
    await expect(place).rejects.toThrow(`lacks \`drizzle:${part}\``);
  },
);

test('a schema with all parts names its table', async () => {
  vi.stubEnv('DATABASE_URL', 'postgres://localhost/app');
  const { names } = await placeOf(await moduleWithout('nothing'), 'members');
  expect(names).toMatchObject({ style: 'drizzle', name: 'members', table: 'members', id: 'id' });
});
