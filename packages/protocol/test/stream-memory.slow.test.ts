import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const MiB = 1_048_576;
const program = fileURLToPath(new URL('stream-memory.mjs', import.meta.url));
const conditions = ['--conditions=@eaas/source', '--import', 'tsx'];

async function run(engine: string, pieceLength: number, total: number) {
  const settings = [...conditions, '--expose-gc', '--max-old-space-size=64'];
  const given = [engine, pieceLength, total].map(String);
  const { stdout } = await promisify(execFile)(process.execPath, [...settings, program, ...given]);
  return JSON.parse(stdout) as { opened: number; most: number };
}

test.each([
  ['node', 65_536],
  ['node', 32 * MiB],
  ['webcrypto', 65_536],
])('%s in pieces of %d bytes needs no more memory for a longer stream', async (engine, pieceLength) => {
  const few = await run(engine, pieceLength, 32 * MiB);
  const many = await run(engine, pieceLength, 512 * MiB + 1);
  expect(many.opened).toBe(512 * MiB + 1);
  expect(many.most - few.most).toBeLessThan(8 * MiB);
});
