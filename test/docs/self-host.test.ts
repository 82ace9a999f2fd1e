import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { variables } from '../../packages/cli/src/config.ts';
import { blocksOf, read, readManual, root } from '@eaas/test-kit/markdown';

// These tests only read the files of the example, because the test machine has no Docker to start it.

const place = 'examples/self-host/';
const dockerfile = read(`${place}Dockerfile`);
const compose = read(`${place}compose.yaml`);
const all = ['Dockerfile', 'compose.yaml', 'Caddyfile', 'roles.sql']
  .map((file) => read(place + file))
  .join('');

test('the files that the Dockerfile copies exist', () => {
  const copied = Array.from(dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm), ([, from = '']) =>
    from.split(' '),
  );
  expect(copied.flat().length).toBeGreaterThan(5);
  expect(copied.flat().filter((path) => !existsSync(root + path))).toEqual([]);
});

test('the Dockerfile copies every package of the workspace', () => {
  const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
  const missing = workspaces.filter((path) => !dockerfile.includes(`COPY ${path}/package.json ${path}/\n`));
  expect(missing).toEqual([]);
});

test('the mounted files exist', () => {
  const mounted = Array.from(compose.matchAll(/- \.\/([^:]+):/g), ([, path]) => path ?? '');
  expect(mounted).not.toEqual([]);
  expect(mounted.filter((path) => !existsSync(root + place + path))).toEqual([]);
});

test('the self-host example uses only variables of the program and variables that its README sets', () => {
  const set = Array.from(
    blocksOf(read(`${place}README.md`), 'sh')
      .join('')
      .matchAll(/^(\w+)=/gm),
    ([, name]) => name,
  );
  expect(set).not.toEqual([]);
  const named = new Set(all.match(/\b(?:EAAS_[A-Z_]+|DATABASE_URL|POSTGRES_PASSWORD)\b/g));
  const known = new Set<string | undefined>([...variables, ...set]);
  expect([...named].filter((name) => !known.has(name))).toEqual([]);
});

test('roles.sql of the self-host example has the same SQL statements as the manual', () => {
  const [theirs] = blocksOf(readManual(), 'sql');
  expect(statements(read(`${place}roles.sql`))).toEqual(statements(theirs ?? ''));
});

function statements(sql: string): string[] {
  const plain = sql.replace(/^(?:--|\\).*$/gm, '').replace(/password \S+?;/g, 'password;');
  return plain.split(';').map((statement) => statement.replace(/\s+/g, ' ').trim());
}
