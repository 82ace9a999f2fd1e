import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLocalService } from '@eaas/local';
import { builtScript } from '@eaas/test-kit/built-program';
import { bun, deno } from '@eaas/test-kit/runtimes/programs';
import { buildSync } from 'esbuild';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { ask } from './ask.ts';

const program = builtScript(fileURLToPath(new URL('changing.ts', import.meta.url)));
const built = dirname(program);

let file: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'eaas-processes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  file = join(folder, '.eaas', 'local.json');
});

interface Line {
  readonly key_id?: string;
  readonly wrapped_key?: string;
  readonly subject?: string;
  readonly rotated?: number;
  /** Before which call the process killed itself. */
  readonly died?: string;
}

function startIn([command = '', ...options]: readonly string[], ...order: readonly string[]) {
  const child = spawn(command, [...options, program, file, ...order], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const closed = once(child, 'close');
  const end = async () => {
    const [code, signal] = (await closed) as [number | null, NodeJS.Signals | null];
    const lines = stdout
      .slice(0, stdout.lastIndexOf('\n') + 1)
      .split('\n')
      .filter(Boolean);
    return { code, signal, stderr, lines: lines.map((line) => JSON.parse(line) as Line) };
  };
  return { child, end };
}

/** Opens the file, and checks that nothing that a process was told is lost. */
async function requireKept(lines: readonly Line[]): Promise<number> {
  const service = createLocalService({ file });
  for (const { key_id, wrapped_key, subject } of lines) {
    if (key_id === undefined) continue;
    const answer = await ask(service, `POST /v1/keys/${key_id}/unwrap`, { wrapped_key, subject });
    expect(answer).toMatchObject({ status: 200 });
  }
  const { key_version } = await service.createKey('default');
  expect(key_version).toBeGreaterThanOrEqual(Math.max(1, ...lines.map(({ rotated = 0 }) => rotated)));
  return key_version;
}

/** The calls of one change, from its lock to its end. */
const calls = [
  'linkSync',
  'openSync',
  'writeFileSync',
  'the other half of a write',
  'fsyncSync',
  'closeSync',
  'renameSync',
  'rmSync',
];

test('a process that is killed at any of its calls of the file system leaves a file that opens and changes', async () => {
  let at = 0;
  let end;
  const duringRotation = new Set<string | undefined>();
  do {
    at++;
    end = await startIn([process.execPath], 'killed', String(at)).end();
    expect(end.stderr).toBe('');
    await requireKept(end.lines);
    await createLocalService({ file }).createKey(`after ${at}`);
    const died = end.lines.at(-1)?.died;
    const isRotating = end.lines.some(({ key_id }) => key_id) && !end.lines.some(({ rotated }) => rotated);
    if (isRotating) duringRotation.add(died);
  } while (end.signal === 'SIGKILL');
  expect(end.code).toBe(0);
  expect([...duringRotation]).toEqual(expect.arrayContaining(calls));
});

test('a process that is killed at any call while it locks a file leaves it with the old or the new lock', async () => {
  const { keyId } = createLocalService({ file });
  const dek = Buffer.alloc(32, 7).toString('base64');
  const wrapped = await ask(createLocalService({ file }), `POST /v1/keys/${keyId}/wrap`, { dek });
  const unlocked = readFileSync(file);
  onTestFinished(() => void vi.unstubAllEnvs());
  const key = script(`echo ${Buffer.alloc(32, 1).toString('base64')}`);
  const died = new Set<string | undefined>();
  const locks = new Set<string>();
  for (let at = 1, signal: NodeJS.Signals | null = 'SIGKILL'; signal === 'SIGKILL'; at++) {
    writeFileSync(file, unlocked);
    vi.stubEnv('EAAS_LOCAL_NEW_KEY_COMMAND', key);
    const end = await startIn([process.execPath], 'killed at a lock', String(at)).end();
    ({ signal } = end);
    expect({ stderr: end.stderr, code: end.code }).toEqual({ stderr: '', code: signal ? null : 0 });
    died.add(end.lines.at(-1)?.died);
    const { lock } = JSON.parse(readFileSync(file, 'utf8')) as { lock: { kind: string } };
    locks.add(lock.kind);
    vi.stubEnv('EAAS_LOCAL_KEY_COMMAND', lock.kind === 'key' ? key : undefined);
    const service = createLocalService({ file, create: false });
    expect(service.keyId).toBe(keyId);
    await requireKept([{ ...wrapped, key_id: keyId }]);
    await service.createKey('another');
    vi.stubEnv('EAAS_LOCAL_KEY_COMMAND', undefined);
  }
  expect([...died]).toEqual(expect.arrayContaining(calls));
  expect(locks).toEqual(new Set(['none', 'key']));
});

test('100 processes of Node, Bun and Deno create, rotate and wrap at once, and lose nothing', async () => {
  const permissions = ['--allow-read', '--allow-write', '--allow-env', '--allow-sys'];
  const others = [[await bun()], [await deno(), 'run', '--no-prompt', ...permissions]];
  const runtimes = Array.from({ length: 100 }, (_, at) => others[at - 49] ?? [process.execPath]);
  const started = runtimes.map((runtime) => startIn(runtime, 'once'));
  const ended = await Promise.all(started.map(({ end }) => end()));
  expect(ended.filter(({ code, stderr }) => code !== 0 || stderr !== '')).toEqual([]);
  const lines = ended.flatMap((one) => one.lines);
  expect(await requireKept(lines)).toBe(101);
  const rotations = lines.flatMap(({ rotated }) => rotated ?? []).toSorted((a, b) => a - b);
  expect(rotations).toEqual(Array.from({ length: 100 }, (_, index) => index + 2));
  const { keys, subjects } = JSON.parse(readFileSync(file, 'utf8')) as {
    keys: { name: string }[];
    subjects: object[];
  };
  expect(subjects).toHaveLength(101);
  expect(keys.filter(({ name }) => name === 'shared')).toHaveLength(1);
  expect(keys).toHaveLength(102);
});

test('the package for browsers has no module of Node, and says that a file needs another runtime', async () => {
  const outfile = join(built, 'browser.mjs');
  const entryPoint = fileURLToPath(new URL('../src/index.ts', import.meta.url));
  const conditions = ['@eaas/source'];
  buildSync({
    entryPoints: [entryPoint],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions,
  });
  expect(readFileSync(outfile, 'utf8')).not.toMatch(/["']node:|\bprocess\./);
  const inBrowser = (await import(outfile)) as { createLocalService: typeof createLocalService };
  expect(() => inBrowser.createLocalService({ file })).toThrow(
    '`file` of `createLocalService` needs Node, Bun or Deno',
  );
  expect(inBrowser.createLocalService().keyId).toMatch(/^[\da-f-]{36}$/);
});

test.each([
  ['prints another text', 'echo secret', 'printed 7 characters that are no base64'],
  ['fails', 'exit 3', 'ended with exit code 3'],
  ['prints too much', 'head -c 5000 /dev/zero', 'cannot be run (ENOBUFS)'],
])('a program for the key of a file that %s is refused, without its output', (_, command, message) => {
  vi.stubEnv('EAAS_LOCAL_KEY_COMMAND', script(command));
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(() => createLocalService({ file })).toThrow(message);
  expect(() => createLocalService({ file })).not.toThrow('secret');
});

test('a program prints the key of a locked file', () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const print = (byte: number) => script(`echo ${Buffer.alloc(32, byte).toString('base64')}`);
  vi.stubEnv('EAAS_LOCAL_KEY_COMMAND', print(1));
  const { keyId } = createLocalService({ file });
  expect(readFileSync(file, 'utf8')).toContain('"kind": "key"');
  expect(createLocalService({ file }).keyId).toBe(keyId);
  vi.stubEnv('EAAS_LOCAL_KEY_COMMAND', print(2));
  expect(() => createLocalService({ file })).toThrow('does not open: set EAAS_LOCAL_KEY_COMMAND');
  vi.stubEnv('EAAS_LOCAL_KEY_COMMAND', '/no/program');
  expect(() => createLocalService({ file })).toThrow('the program /no/program cannot be run (ENOENT)');
});

function script(command: string): string {
  const path = join(built, `${crypto.randomUUID()}.sh`);
  writeFileSync(path, `#!/bin/sh\n${command}\n`);
  chmodSync(path, 0o700);
  return path;
}
