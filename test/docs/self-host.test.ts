import { expect, test } from 'vitest';
import { variables } from '../../packages/cli/src/config.ts';
import { blocksOf, read, readManual } from '@eaas/test-kit/markdown';

// What can be checked without containers; test/self-host starts them.

const place = 'examples/self-host/';
const all = ['Dockerfile', 'compose.yaml', 'Caddyfile', 'roles.sql']
  .map((file) => read(place + file))
  .join('');

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

test('each proxy of the documents sends the requests of an issuer to one server', () => {
  const page = read('docs/operating/replicas.md');
  const haproxy = blocksOf(page, 'haproxy').join('');
  const nginx = blocksOf(page, 'nginx').join('');
  for (const config of [read(`${place}Caddyfile`), haproxy, nginx]) expect(config).toMatch(/eaas.issuer/i);
});

test('roles.sql of the self-host example has the same SQL statements as the manual', () => {
  const [theirs] = blocksOf(readManual(), 'sql');
  expect(statements(read(`${place}roles.sql`))).toEqual(statements(theirs ?? ''));
});

function statements(sql: string): string[] {
  const plain = sql.replace(/^(?:--|\\).*$/gm, '').replace(/password \S+?;/g, 'password;');
  return plain.split(';').map((statement) => statement.replace(/\s+/g, ' ').trim());
}
