// What docs/skills/eaas/SKILL.md promises of keys in one variable: its commands and its six lines, as an agent that reads
// only that page uses them, in each runtime that has no disk.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '@eaas/test-kit/database';
import { type App, installPackages } from '@eaas/test-kit/installed-packages';
import { blocksOf, read, root } from '@eaas/test-kit/markdown';
import { run } from '@eaas/test-kit/program';
import { requireTools } from '@eaas/test-kit/tools';
import { follow } from './quick-start.ts';

const skill = 'docs/skills/eaas/SKILL.md';
const load = createRequire(import.meta.url);
const token = '1//0gRefreshToken';

let app: App;

beforeAll(async () => {
  app = await installPackages();
});

afterAll(() => app.remove());

async function printed(command: readonly string[], cwd: string, input = ''): Promise<string> {
  const { code, stdout, stderr } = await run(command, {}, { cwd, input });
  if (code !== 0) throw new Error(`${command.join(' ')} failed (${code}):\n${stderr}`);
  return stdout.trim();
}

test('who follows only the skill keeps a refresh token encrypted, reads it back, and rotates', async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const none = () => Promise.reject(new Error('the skill opens no page'));
  const { folder, files } = await follow(skill, { app, homes: [root], database, browse: none });
  expect(files).toEqual(['tokens.mjs']);
  const code = `
    const [name, ...args] = process.argv.slice(1);
    console.log(await (await import('./tokens.mjs'))[name](...args));`;
  const call = (variables: string, ...args: string[]): Promise<string> =>
    printed(
      [process.execPath, `--env-file=${variables}`, '--input-type=module', '--eval', code, ...args],
      folder,
    );
  const stored = await call('.env', 'encryptToken', '42', token);
  expect(stored).toMatch(/^eaasA/);
  expect(await call('.env', 'decryptToken', '42', stored)).toBe(token);
  expect(await call('next.env', 'decryptToken', '42', stored)).toBe(token);
  await expect(call('.env', 'decryptToken', '43', stored)).rejects.toThrow(/context/);
});

/** Uses the lines with the keys in this variable: encrypts, and decrypts what is stored, or else what it encrypted. */
type Use = (variable: string, stored?: string) => Promise<Used>;

interface Used {
  readonly made: string;
  readonly read: string;
}

const [, lines = ''] = /^```js tokens\.mjs\n(.*?)^```$/ms.exec(read(skill)) ?? [];

// Nothing of it may use the network.
const using = `
  import { decryptToken, encryptToken } from './tokens.mjs';
  globalThis.fetch = () => { throw new Error('online'); };
  export const use = async (stored) => {
    const made = await encryptToken('42', '${token}');
    return { made, read: await decryptToken('42', stored || made) };
  };`;

async function bundled(code: string, format: 'esm' | 'iife'): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `${using}\n${code}`, resolveDir: app.directory },
    bundle: true,
    format,
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['edge-light', 'workerd', 'worker'],
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

const inNode: Use = async (variable, stored = '') => {
  writeFileSync(join(app.directory, 'one.env'), `EAAS_LOCAL=${variable}\n`);
  const code = `${using}\nconsole.log(JSON.stringify(await use(process.argv[1])));`;
  const command = [process.execPath, '--env-file=one.env', '--input-type=module', '--eval', code, stored];
  return JSON.parse(await printed(command, app.directory)) as Used;
};

interface Worker {
  dispatchFetch(url: string, init: { method: string; body: string }): Promise<Response>;
  dispose(): Promise<void>;
}

const inWorkerd: Use = async (variable, stored = '') => {
  const modules = await requireTools('test/tools/runtimes');
  const { Miniflare } = load(join(modules, 'miniflare')) as { Miniflare: new (options: object) => Worker };
  const handler =
    'export default { fetch: async (request) => Response.json(await use(await request.text())) };';
  const worker = new Miniflare({
    modules: true,
    script: await bundled(handler, 'esm'),
    bindings: { EAAS_LOCAL: variable },
    compatibilityDate: '2026-07-01',
    // With it, a Worker has `process.env`.
    compatibilityFlags: ['nodejs_compat'],
    cf: false,
  });
  onTestFinished(() => worker.dispose());
  const response = await worker.dispatchFetch('http://worker/', { method: 'POST', body: stored });
  return (await response.json()) as Used;
};

const inNext: Use = async (variable, stored = '') => {
  const modules = await requireTools('packages/sdk/test/frameworks/next');
  const { EdgeRuntime } = load(join(modules, 'next/dist/compiled/edge-runtime')) as {
    EdgeRuntime: new (options: object) => { evaluate(code: string): Promise<string> };
  };
  const extend = (context: object) => Object.assign(context, { process: { env: { EAAS_LOCAL: variable } } });
  const runtime = new EdgeRuntime({ extend });
  await runtime.evaluate(await bundled('globalThis.use = use;', 'iife'));
  return JSON.parse(await runtime.evaluate(`use('${stored}').then(JSON.stringify)`)) as Used;
};

test.each<[string, Use]>([
  ['Node', inNode],
  ['workerd', inWorkerd],
  ['the edge runtime of Next.js', inNext],
])(
  'two commands, six lines and one variable of ten versions, at most 4 kB, are enough in %s',
  async (_, use) => {
    expect(blocksOf(read(skill), 'sh')[0]?.trim().split('\n')).toHaveLength(2);
    expect(lines.trim().split('\n').filter(Boolean)).toHaveLength(6);
    writeFileSync(join(app.directory, 'tokens.mjs'), lines);
    const local = (command: string, input = '') =>
      printed(
        [process.execPath, 'node_modules/@eaas/local/bin/eaas-local.mjs', ...command.split(' ')],
        app.directory,
        input,
      );
    const valueOf = (text: string): string => text.replace('EAAS_LOCAL=', '');
    let variable = await local('new');
    const first = await use(valueOf(variable));
    expect(first.read).toBe(token);
    for (let version = 2; version <= 10; version++)
      variable = await local('rotate --in 0', `DATABASE_URL=file:x.db\n${variable}\n`);
    expect(variable.length).toBeLessThanOrEqual(4_096);
    const later = await use(valueOf(variable), first.made);
    expect(later.read).toBe(token);
    expect([first.made, later.made].map(versionOf)).toEqual([1, 10]);
  },
);

/** The version of the key, after 4 bytes of the format and 16 of the key's id. */
const versionOf = (ciphertext: string): number => Buffer.from(ciphertext, 'base64').readUInt32BE(20);
