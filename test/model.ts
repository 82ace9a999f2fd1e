// `npm run model`: checks the model of the ledger with SPIN. Each run in the table of docs/design/ledger.pml must end
// as the table says: the model holds, or a planted bug breaks its property.
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const path = resolve('docs/design/ledger.pml');
const text = await readFile(path, 'utf8');
const table = text.matchAll(/^\/\/ {3}(-D\S+(?: -D\S+)*) {2,}(holds|[A-Z]+) {2,}\S/gm);
const waiting = Array.from(table, ([, flags = '', expected = '']) => ({ flags, expected }));
let areExpected = waiting.length > 0;

const execute = promisify(execFile);
async function start(cwd: string, command: string, ...args: string[]): Promise<string> {
  try {
    return (await execute(command, args, { cwd, maxBuffer: 2 ** 26 })).stdout;
  } catch (error) {
    const { code, stdout = '' } = error as { code?: unknown; stdout?: string };
    const missing = `${command} is missing: install SPIN and GCC (on Debian and Ubuntu: apt-get install spin gcc)`;
    const failed = `${command} ${args.join(' ')} failed in ${cwd}: ${stdout}`;
    throw new Error(code === 'ENOENT' ? missing : failed, { cause: error });
  }
}

/** Runs the model, and returns what came out, `holds` or the property that failed, and how many states there were. */
async function outcomeOf(folder: string, flags: readonly string[], level: string): Promise<[string, number]> {
  await copyFile(path, join(folder, 'ledger.pml'));
  await start(folder, 'spin', '-a', ...flags, 'ledger.pml');
  await start(folder, 'gcc', '-w', level, '-DSAFETY', '-DCOLLAPSE', '-o', 'pan', 'pan.c');
  const said = await start(folder, join(folder, 'pan'));
  const states = Number(/(\d+) states, stored/.exec(said)?.[1]);
  if (/errors: 0$/m.test(said) && !/not completed|depth too small/.test(said)) return ['holds', states];
  if (!/assertion violated/.test(said)) return [said, states];
  const trail = await start(folder, 'spin', '-t', ...flags, 'ledger.pml');
  const line = Number(/ledger\.pml:(\d+), Error: assertion violated/.exec(trail)?.[1]);
  return [/\/\* ([A-Z]+) \*\/$/.exec(text.split('\n')[line - 1] ?? '')?.[1] ?? trail, states];
}

async function check(flags: string, expected: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'model-'));
  const begun = performance.now();
  // Runs that hold have millions of states; for the others, compiling takes most of the time.
  const [found, states] = await outcomeOf(folder, flags.split(' '), expected === 'holds' ? '-O2' : '-O0');
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1).padStart(5);
  const counted = states.toLocaleString('en').padStart(10);
  console.log(`${flags.padEnd(47)}${found.padEnd(8)}${counted} states ${seconds} s`);
  if (found === expected) return rm(folder, { recursive: true });
  areExpected = false;
  console.error(`  expected: ${expected}. The steps: cd ${folder} && spin -t -p ${flags} ledger.pml`);
}

async function checkNext(): Promise<void> {
  for (let run = waiting.shift(); run; run = waiting.shift()) await check(run.flags, run.expected);
}
try {
  await start('.', 'spin', '-V');
  await start('.', 'gcc', '--version');
  await Promise.all([checkNext(), checkNext()]);
} catch (error) {
  areExpected = false;
  console.error((error as Error).message);
}
if (!areExpected) process.exitCode = 1;
