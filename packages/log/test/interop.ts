// Programs in Go that nobody of this project wrote, and the little one in interop/ that calls their libraries.
import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { closing } from '@eaas/test-kit/closing';
import { newDirectory } from '@eaas/test-kit/directory';
import { freePort } from '@eaas/test-kit/free-port';
import { inherited, launch, run } from '@eaas/test-kit/program';

const folder = fileURLToPath(new URL('interop/', import.meta.url));
/** With `auto`, an older Go fetches the version that go.mod names. */
const env = {
  PATH: [process.env['PATH'], '/usr/local/go/bin'].join(delimiter),
  GOTOOLCHAIN: 'auto',
};
const packages = ['.', 'filippo.io/torchwood/cmd/litewitness'];

const go = (...args: readonly string[]) =>
  promisify(execFile)('go', args, { cwd: folder, env: { ...inherited(), ...env } });

/** Whether there is Go, and its modules are here or can be fetched. */
export async function hasGo(): Promise<boolean> {
  return go('list', '-deps', ...packages).then(
    () => true,
    () => false,
  );
}

/** Builds the programs, and returns a function for each command of interop. */
export async function buildInterop() {
  const directory = await newDirectory();
  await go('build', '-o', `${directory}/`, ...packages);
  const program = join(directory, 'interop');
  const call = async <T>(
    command: string,
    flags: Readonly<Record<string, string>>,
    input = '',
  ): Promise<T> => {
    const words = Object.entries(flags).flatMap(([name, value]) => [`-${name}`, value]);
    const { code, stdout, stderr } = await run([program, command, ...words], {}, { input });
    if (code !== 0) throw new Error(stderr.trim());
    return JSON.parse(stdout) as T;
  };
  return {
    read: (log: string, policy: string, earlier = '') =>
      call<{ origin: string; size: number; entries: string[] }>('read', { log, policy, earlier }),
    verify: (proof: string, policy: string) =>
      call<{ tenant_id: string; id: number; hash: string; time: number }>('verify', { policy }, proof),
    cosign: (name: string, checkpoint: string) =>
      call<{ vkey: string; line: string }>('cosign', { name }, checkpoint),
    litewitness: (name: string) => startLitewitness(directory, name, call),
  };
}

type Call = <T>(command: string, flags: Readonly<Record<string, string>>) => Promise<T>;

/** Starts litewitness with a new key. It cosigns the logs that it is told to. */
async function startLitewitness(directory: string, name: string, call: Call) {
  const [own, port] = [await newDirectory(), await freePort()];
  const [socket, db] = [join(own, 'agent'), join(own, 'witness.db')];
  const agent = launch([join(directory, 'interop'), 'agent', '-socket', socket, '-name', name], {});
  await closing(Promise.resolve(agent), ({ child }) => child.kill());
  const { key, vkey } = JSON.parse(await printed(agent, /^\{.*\}$/m)) as { key: string; vkey: string };
  const listen = `127.0.0.1:${port}`;
  const flags = ['-db', db, '-ssh-agent', socket, '-key', key, '-name', name, '-listen', listen];
  const witness = launch([join(directory, 'litewitness'), ...flags], {});
  await closing(Promise.resolve(witness), ({ child }) => child.kill());
  await printed(witness, /msg=listening/);
  return { name, vkey, url: `http://${listen}`, admit: (log: string) => call<string>('admit', { db, log }) };
}

/** Waits until a program prints what matches. */
async function printed({ child, stdout, stderr }: ReturnType<typeof launch>, what: RegExp): Promise<string> {
  for (const deadline = Date.now() + 60_000; ; await sleep(20)) {
    const [found] = what.exec(stdout()) ?? what.exec(stderr()) ?? [];
    if (found !== undefined) return found;
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`it did not start:\n${stderr()}`);
  }
}
