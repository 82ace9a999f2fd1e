// The command `open` as a process: a second reader of its CSV, many values, a kill, and a terminal.
import { spawn, spawnSync } from 'node:child_process';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { whereAvailable } from '@eaas/test-kit/available';
import { inTerminal } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';
import { root } from '@eaas/test-kit/markdown';
import { inherited, run } from '@eaas/test-kit/program';
import { expect, test } from 'vitest';
import { eaas, sealed } from './adopting.ts';

const env = { EAAS_LOCAL: sealed };
const folder = await newDirectory();
const definition = join(folder, 'definition.mjs');
await writeFile(
  definition,
  `import { defineFields, field } from '${root}packages/sdk/dist/fields/fields.js';
  const context = { context: 'field' };
  const [a, b, c, d] = Array(4).fill(field.number(context));
  export default defineFields({ logs: { text: field.text(context), a, b, c, d } });`,
);
const records = (await import(definition)).default.for(eaas);
const large = await records.encryptRow('logs', 1, { text: 'x'.repeat(3_000), a: 1, b: 2, c: 3, d: 4 });
const line = `${JSON.stringify({ id: 1, ...large })}\n`;
const program = [process.execPath, `${root}packages/migrate/bin/eaas-migrate.mjs`];
const open = (out: string, columns = 'text') => [
  ...program,
  ...`open ${definition} logs --stdin --columns ${columns} --out ${out}`.split(' '),
];

const probe = spawnSync('python3', ['-c', String.raw`import csv; list(csv.reader(['\0']))`]);
whereAvailable('Python 3.11', probe.status === 0, () => {
  test('the csv module of Python reads from CSV with `--exact` what was encrypted', async () => {
    const texts = ['"', 'a""b,', '\r\n', '\n', '\r', '=1+1', '\0', "'", '👩‍🚀 é', ' ', '-', '\t', '\u2028', ''];
    const stored: object[] = [];
    for (const text of texts) stored.push(await records.encryptRow('logs', 1, { text }));
    const input = stored.map((each, id) => JSON.stringify({ id, ...each })).join('\n');
    const written = await run([...open('-'), '--csv', '--exact'], env, { input });
    expect(written.code).toBe(0);
    const read = 'json.dumps(list(csv.reader(io.TextIOWrapper(sys.stdin.buffer, "utf-8", newline=""))))';
    const python = ['python3', '-c', `import csv, io, json, sys; print(${read})`];
    const { stdout } = await run(python, {}, { input: written.stdout });
    expect(JSON.parse(stdout)).toEqual([['id', 'text'], ...texts.map((text, id) => [String(id), text])]);
  });
});

test('values that are larger than the heap pass through it', async () => {
  const [out, input] = [join(folder, 'large.csv'), line.repeat(30_000)];
  const small = { ...env, NODE_OPTIONS: '--max-old-space-size=80' };
  const { code, stderr } = await run(open(out, 'text,a,b,c,d'), small, { input });
  expect([code, stderr]).toEqual([0, expect.stringContaining('rows: 30,000, values: 150,000, failures: 0')]);
  expect((await stat(out)).size).toBeGreaterThan(90_000_000);
});

test('a killed run leaves only a part that others cannot read, and no value is shown in a terminal', async () => {
  const place = await newDirectory();
  const [name = '', ...args] = open(join(place, 'killed.csv'));
  const child = spawn(name, args, { env: { ...inherited(), ...env }, stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin.on('error', () => {}).write(line.repeat(1_000));
  const part = () => stat(join(place, 'killed.csv.part')).catch(() => undefined);
  await expect.poll(async () => (await part())?.size).toBeGreaterThan(1_000);
  child.kill('SIGKILL');
  expect([await readdir(place), Number((await part())?.mode) & 0o777]).toEqual([['killed.csv.part'], 0o600]);
  const shown = await run(inTerminal(open('-').slice(2), program), env, { input: '' });
  expect([shown.code, shown.stdout]).toEqual([
    2,
    expect.stringContaining('a terminal would show the plaintext'),
  ]);
});
