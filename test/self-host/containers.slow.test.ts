// Types the commands of examples/self-host/README.md in a copy of the repository, and breaks what they started.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { whereAvailable } from '@eaas/test-kit/available';
import { closing } from '@eaas/test-kit/closing';
import { hasContainers, openContainers } from '@eaas/test-kit/containers';
import { newDirectory } from '@eaas/test-kit/directory';
import { blocksOf, read, root } from '@eaas/test-kit/markdown';
import { launch } from '@eaas/test-kit/program';
import { openTerminal } from '@eaas/test-kit/terminal';

const images = ['node:24-slim', 'postgres:17', 'caddy:2'].map((name) => `docker.io/library/${name}`);
const blocks = blocksOf(read('examples/self-host/README.md'), 'sh');
const typed = new Set<string>();

const copy = await newDirectory();
const place = join(copy, 'examples/self-host');
const list = 'git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$0"';
if (hasContainers) execFileSync('bash', ['-c', list, copy], { cwd: root });
const env = hasContainers ? await openContainers(images) : {};
const terminal = await closing(openTerminal(copy, env), (it) => it.close());
if (hasContainers) await closing(undefined, () => terminal.type('docker compose down --volumes'));
const figures: string[] = [];
afterAll(() => void process.stdout.write(figures.join('')));

whereAvailable('Docker or podman with its compose', hasContainers, () => {
  let app: Record<string, string>;

  /** Types the commands, which must succeed, and returns what they print. */
  async function type(lines: string): Promise<string> {
    const result = await terminal.type(lines);
    if (result.failed.length > 0) throw new Error(`${result.failed.join('\n')}\n${result.output}`);
    return result.output;
  }

  /** Types the block of the README that begins with these words. */
  async function typeBlock(start: string, change = (block: string): string => block): Promise<string> {
    const block = blocks.find((one) => one.startsWith(start));
    if (block === undefined) throw new Error(`README.md must have a block that begins with "${start}"`);
    typed.add(block);
    const isRoot = process.getuid?.() === 0;
    return type(change(isRoot ? block.replace(/^sudo /gm, '') : block));
  }

  const operator = (command: string): Promise<string> => type(`docker compose run --rm operator ${command}`);
  const valueOf = (name: string, output: string): string =>
    new RegExp(`^${name} +(\\S+)`, 'm').exec(output)?.[1] ?? '';
  const inServer = async (server: string, code: string): Promise<string> =>
    (await type(`docker compose exec -T ${server} node -e '${code}'`)).trim();
  const newApiKey = async (name: string): Promise<Record<string, string>> => {
    const output = await operator(
      `api-key create --tenant acme --name ${name} --permissions encrypt,decrypt`,
    );
    return { id: valueOf('api_key_id', output), token: valueOf('api_key', output) };
  };

  /** Four users who encrypt all the time. Each value needs a call, because each has a new client. */
  function startLoad() {
    const code = `
      import { EaasClient } from '@eaas/sdk';
      let isOver = false;
      process.once('SIGTERM', () => (isOver = true));
      async function user() {
        while (!isOver) {
          await new EaasClient().encrypt('value').then(
            () => process.stdout.write('.'),
            (error) => process.stderr.write(error.message + '\\n'),
          );
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
      await Promise.all([user(), user(), user(), user()]);`;
    const { child, stdout, stderr } = launch(
      [process.execPath, '--input-type=module', '-e', code],
      app,
      copy,
    );
    const ended = new Promise((resolve) => child.once('close', resolve));
    const more = async (count = 100): Promise<void> => {
      const least = stdout().length + count;
      await expect.poll(() => stdout().length).toBeGreaterThan(least);
    };
    const stop = async (): Promise<{ done: number; failures: string }> => {
      child.kill('SIGTERM');
      await ended;
      return { done: stdout().length, failures: stderr() };
    };
    return { more, stop };
  }

  test('all containers start, and doctor finds no failure', async () => {
    await typeBlock('cd examples/self-host');
    await typeBlock('mkdir secrets');
    const output = await typeBlock('docker compose up -d\n');
    await expect.poll(() => type('docker compose ps -a')).toMatch(/(?:\(healthy\)[^]*){3}/);
    expect(output).toMatch(/Exited \(0\).*migrate|migrate.*Exited \(0\)/);
    expect(output).toMatch(/^ok +root_key +The root key opens the database/m);
  });

  test('an app outside of the containers encrypts a field over TLS', async () => {
    const output = await typeBlock('docker compose run --rm operator tenant create');
    const keyId = valueOf('key_id', output);
    await typeBlock('docker compose exec -T proxy', (block) =>
      block
        .replace('eaas_sk_…', valueOf('api_key', output))
        .replace(/0{8}-\S+/, keyId)
        .replace(/node .*\n$/, ''),
    );
    app = {
      EAAS_API_KEY: valueOf('api_key', output),
      EAAS_KEY_ID: keyId,
      EAAS_BASE_URL: 'https://localhost',
      NODE_EXTRA_CA_CERTS: join(place, 'proxy-root.crt'),
    };
    expect(await type('node ../encrypt-a-field/index.mjs')).toContain('Plaintext  1//0gRefreshToken');
  });

  test('a server is not root, writes no files, and needs no shell', async () => {
    expect(await inServer('server-a', 'console.log(process.getuid())')).toBe('1000');
    const write = 'try { fs.writeFileSync("/app/x", "") } catch (error) { console.log(error.code) }';
    expect(await inServer('server-a', write)).toBe('EROFS');
    const noShell = ['dash', 'bash'].map((shell) => `-v /dev/null:/usr/bin/${shell}`).join(' ');
    expect(await type(`docker compose run --rm ${noShell} operator tenant list`)).toContain('acme');
  });

  test('the proxy serves the console, and no metrics', async () => {
    const get = (path: string): Promise<string> =>
      type(`curl -s --cacert proxy-root.crt -w '\\n%{http_code}' https://localhost${path}`);
    await typeBlock('docker compose logs');
    expect(await get('/console/')).toMatch(/<title>Eaas console[^]*\n200$/);
    expect(await get('/metrics')).toMatch(/\n404$/);
  });

  test('no call fails while one server after the other is replaced', async () => {
    const load = startLoad();
    await load.more();
    const ids = async (): Promise<string[]> =>
      (await type('docker ps -q --no-trunc --filter name=server')).match(/\w{64}/g) ?? [];
    const before = await ids();
    await typeBlock('docker compose build\n');
    await load.more();
    const after = await ids();
    expect([before.length, new Set([...before, ...after]).size]).toEqual([2, 4]);
    const { done, failures } = await load.stop();
    figures.push(`Calls during the upgrade: ${done}.\n`);
    expect(failures).toBe('');
  });

  test('no call fails for good when a server is killed, and the server comes back', async () => {
    const load = startLoad();
    await load.more();
    for (const server of ['server-a', 'server-b']) {
      const name = `$(docker ps --format '{{.Names}}' | grep ${server})`;
      await type(`kill -9 $(docker inspect -f '{{.State.Pid}}' ${name})`);
      await load.more();
      const ask = 'fetch("http://127.0.0.1:8080/readyz").then((r) => console.log(r.ok))';
      await expect.poll(() => inServer(server, ask)).toBe('true');
      await load.more();
    }
    expect(await load.stop()).toMatchObject({ failures: '' });
  });

  test('calls go on after the database has restarted', async () => {
    const load = startLoad();
    await load.more();
    await type('docker compose restart db');
    await load.more();
    const failed = (await load.stop()).failures.split('\n').length - 1;
    figures.push(`Calls that failed during the restart of the database: ${failed}.\n`);
    expect(await operator('doctor')).toMatch(/^ok +database /m);
  });

  test('after a restore, what was revoked after the backup is revoked again', async () => {
    const [first, second] = [await newApiKey('first'), await newApiKey('second')];
    const encrypt = (token = ''): Promise<string> =>
      type(`EAAS_API_KEY=${token} node ../encrypt-a-field/index.mjs || true`);
    const [dump = '', ...exports] = blocks.find((block) => block.includes('pg_dump'))?.split('\n') ?? [];
    await typeBlock('docker compose exec -T db pg_dump', () => dump);
    await operator(`api-key revoke ${first['id']} --tenant acme`);
    await type(exports.join('\n'));
    await typeBlock('docker compose stop', (block) => block.replace(/(audit replay.*)/, '$1 --yes'));
    await expect.poll(() => encrypt(second['token'])).toContain('Plaintext  1//0gRefreshToken');
    expect(await encrypt(first['token'])).toMatch(/revoked/);
    expect(await typeBlock('docker compose run --rm operator audit verify')).toMatch(/acme/);
  });

  test('every command of the README has been typed', async () => {
    await typeBlock('docker compose down');
    expect(blocks.filter((block) => !typed.has(block))).toEqual([]);
  });
});
