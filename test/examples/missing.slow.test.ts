import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestService } from '@eaas/local';
import { expect, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { run } from '@eaas/test-kit/program';
import { root } from '@eaas/test-kit/markdown';
import { playLog } from '@eaas/test-kit/played-log';

const service = {
  EAAS_BASE_URL: 'http://127.0.0.1:1',
  EAAS_API_KEY: createTestService().apiKey,
  EAAS_KEY_ID: crypto.randomUUID(),
};
const { EAAS_KEY_ID: _, ...client } = service;
const database = { DATABASE_URL: 'postgres://127.0.0.1:1/none' };
const table = { ...service, ...database };
const searched = { ...table, EAAS_INDEX_KEY: 'eaas_ik_1.none' };

const start = async (env: Readonly<Record<string, string>>, program: string, ...args: string[]) => {
  const cleared = Object.fromEntries(Object.keys(searched).map((name) => [name, '']));
  return run(
    [program.endsWith('.py') ? 'python3' : process.execPath, `examples/${program}`, ...args],
    {
      ...cleared,
      ...env,
    },
    { cwd: root },
  );
};

test.each([
  ['clinic/server.mjs', table],
  ['encrypt-a-field/index.mjs', service],
  ['encrypt-a-table/index.mjs', searched],
  ['observability/traced-client.mjs', service],
  ['only-the-person/server.mjs', service],
  ['open-with-python/encrypt.mjs', service],
  ['sign-up/search.mjs', table],
  ['sign-up/server.mjs', table],
  ['upload-a-file/server.mjs', service],
  ['write-from-go-or-python/open.mjs', client],
])('%s prints one line that names a missing variable', async (program, env) => {
  for (const name of Object.keys(env)) {
    const { [name]: _, ...others } = env as Readonly<Record<string, string>>;
    expect(await start(others, program)).toEqual({
      code: 2,
      stdout: '',
      stderr: `${name} must be set (got no value): use the command in README.md\n`,
    });
  }
});

test.each<[string, string[], string | RegExp, object?]>([
  ['verify-audit/index.mjs', ['none.ndjson'], /the log must be a file .* \(got ENOENT for none\.ndjson\)/],
  [
    'verify-audit/index.mjs',
    ['package.json', 'none.checkpoint', 'key'],
    /the checkpoint must be a file .* \(got ENOENT for none\.checkpoint\)/,
  ],
  [
    'upload-a-file/server.mjs',
    [],
    'UPLOADS must name a folder that this program can create (got EEXIST for package.json)\n',
    { UPLOADS: 'package.json' },
  ],
])('%s %j prints one line about what it cannot use', async (program, args, reason, more) => {
  const { code, stdout, stderr } = await start({ ...service, ...more }, program, ...args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(reason);
  expect(stderr).toMatch(/^[^\n]+\n$/);
});

test.each([
  ['text', 'plain text', 1],
  ['a number after an entry', `${JSON.stringify(playLog(1).entries[0])}\n7`, 2],
])('verify-audit names the line that is not an audit entry: %s', async (_, text, line) => {
  expect(await start({}, 'verify-audit/index.mjs', await fileOf(text))).toEqual({
    code: 1,
    stdout: '',
    stderr: `NOT VERIFIED: line ${line} of the log must be an audit entry: pass a file that \`eaas audit export\` wrote\n`,
  });
});

async function fileOf(text: string): Promise<string> {
  const folder = await newDirectory();
  await writeFile(join(folder, 'file'), text);
  return join(folder, 'file');
}
