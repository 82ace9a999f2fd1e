// Types the page for operators into a fresh Debian, which systemd boots in a container, until a program outside encrypts.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { isInstalled, whereAvailable } from '@eaas/test-kit/available';
import { newDirectory } from '@eaas/test-kit/directory';
import { blocksOf, codesIn, commandsOf, read, root } from '@eaas/test-kit/markdown';
import { openTerminal, type Terminal } from '@eaas/test-kit/terminal';

const needed = ['podman', 'runc', 'debootstrap', 'unshare', 'openssl'];
const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const node = { version: '22.23.3', npm: '10.9.4' };

const page = read('docs/operating/production.md')
  // psql reads what the page types in it.
  .replace(/psql\n```\n\n```sql\n(.*?)```/s, "psql --set ON_ERROR_STOP=1 <<'SQL'\n$1SQL\n```");
const [setUp = '', firstField = ''] = page.split('## The first field');
const [check = '', first = ''] = blocksOf(firstField, 'sh');
const inPage = (start: string): string => codesIn(page).find((code) => code.startsWith(start)) ?? '';

const folder = await newDirectory();
const downloads = join(folder, 'downloads');
const system = join(folder, 'system');
const hosts = join(folder, 'hosts');

async function run(program: string, ...args: readonly string[]): Promise<string> {
  const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 };
  return (await promisify(execFile)(program, args, options)).stdout.trim();
}

/** What the page tells to download. Node comes from npm, and is packed as nodejs.org packs it. */
async function download(): Promise<void> {
  const name = `node-v${node.version}-linux-${process.arch}`;
  const modules = join(downloads, name, 'lib/node_modules/npm');
  mkdirSync(modules, { recursive: true });
  const pack = commandsOf(read('README.md')).find((code) => code.startsWith('npm pack ')) ?? '';
  await run('sh', '-c', pack.replace('/tmp', downloads));
  for (const [what, place] of [
    [`node-linux-${process.arch}@${node.version}`, join(downloads, name)],
    [`npm@${node.npm}`, modules],
  ] as const) {
    const file = await run('npm', 'pack', '--silent', '--pack-destination', downloads, what);
    await run('tar', '-xzf', join(downloads, file), '--strip-components=1', '-C', place);
  }
  for (const link of ['npm', 'npx']) {
    symlinkSync(`../lib/node_modules/npm/bin/${link}-cli.js`, join(downloads, name, 'bin', link));
  }
  await run('tar', '-I', 'gzip -1', '-cf', join(downloads, `${name}.tar.gz`), '-C', downloads, name);
  // The registry can be behind a proxy that has its own authority.
  const authorities = process.env['NODE_EXTRA_CA_CERTS'];
  if (authorities) copyFileSync(authorities, join(downloads, 'authorities.pem'));
}

async function makeCertificates(): Promise<void> {
  const make = (name: string, ...more: readonly string[]) => {
    const files = ['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.pem`)];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    return run('openssl', 'req', '-x509', ...kind, ...files, ...more);
  };
  await make('authority', '-subj', '/CN=authority');
  const by = ['-CA', join(folder, 'authority.pem'), '-CAkey', join(folder, 'authority.key')];
  await make('eaas', ...by, '-subj', '/CN=eaas.example', '-addext', 'subjectAltName=DNS:eaas.example');
}

const podman = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')].concat(
  ['--storage-driver=vfs', '--cgroup-manager=cgroupfs', '--runtime=runc'],
  ['--events-backend=file'],
);
const machine = (...words: readonly string[]): Promise<string> => run('podman', ...podman, ...words);
const networkOf = (what: string): Promise<string> =>
  machine('inspect', '--format', `{{.NetworkSettings.${what}}}`, 'machine');
const booted = 'until systemctl is-system-running | grep -E "running|degraded"; do sleep 0.2; done';

/** A Debian with systemd and nothing else, in a network of its own. */
async function startMachine(): Promise<void> {
  await run('debootstrap', '--variant=minbase', '--include=systemd-sysv', 'bookworm', system);
  const limits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1000:1000'];
  const options = ['--detach', '--name=machine', '--systemd=always', '--privileged', ...limits];
  // Outside of containers, systemd shares its mounts by itself. Where it does not, services get no credentials.
  const boot = ['sh', '-c', 'mount --make-rshared / && exec /sbin/init'];
  await machine('run', ...options, '--rootfs', system, ...boot);
}

const openMachine = (): Promise<Terminal> =>
  openTerminal(folder, {}, ['podman', ...podman, 'exec', '--interactive', 'machine']);

/** The hosts that the app sees: the machine may get another address when it starts again. */
async function nameMachine(): Promise<void> {
  writeFileSync(hosts, `127.0.0.1 localhost\n${await networkOf('IPAddress')} eaas.example\n`);
}

async function succeed(terminal: Terminal, lines: string): Promise<string> {
  const { output, failed } = await terminal.type(lines);
  if (failed.length > 0) throw new Error(`${failed.join('\n')} failed:\n${output}`);
  return output.trim();
}

const isAvailable = isRoot && needed.every((program) => isInstalled(program));
whereAvailable(`the root account, ${needed.join(', ')}`, isAvailable, () => {
  let operator: Terminal;
  let app: Terminal;
  let encrypt = first;

  const answerOf = (url: string, request = '{}'): string =>
    `node <<'END'
    fetch('${url}', ${request}).then(({ status }) => console.log(status), (error) => console.log(error.cause?.code));\nEND`;
  const status = (path: string, request?: string): Promise<string> =>
    succeed(app, answerOf(`https://eaas.example${path}`, request));
  const property = (name: string): Promise<string> =>
    succeed(operator, `systemctl show eaas --value --property ${name}`);

  beforeAll(async () => {
    await download();
    await makeCertificates();
    await startMachine();
    operator = await openMachine();
    await succeed(operator, booted);
    await machine('cp', `${downloads}/.`, 'machine:/tmp');
    await succeed(operator, 'export npm_config_audit=false DEBIAN_FRONTEND=noninteractive');
    await succeed(
      operator,
      '! test -e /tmp/authorities.pem || export NODE_EXTRA_CA_CERTS=/tmp/authorities.pem',
    );
    await nameMachine();
    const env = { NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem') };
    app = await openTerminal(root, env, ['unshare', '--mount']);
    await succeed(app, `mount --bind '${hosts}' /etc/hosts`);
    return async () => {
      await app.close();
      await operator.close();
      await machine('rm', '--force', '--time=0', 'machine');
    };
  });

  test('six commands serve over TLS', async () => {
    const commands = blocksOf(setUp, 'sh');
    expect(commands).toHaveLength(6);
    for (const command of commands) {
      const own = command.replace('eaas.example {', `$&\n  ${inPage('tls ')}`);
      if (own !== command) {
        for (const file of ['eaas.pem', 'eaas.key']) {
          copyFileSync(join(folder, file), join(system, 'etc/caddy', file));
        }
        await succeed(operator, 'chown caddy /etc/caddy/eaas.*');
      }
      await succeed(operator, own);
    }
    await expect.poll(() => status('/readyz')).toBe('200');
  });

  test('the doctor finds nothing, and a program outside encrypts a field', async () => {
    const made = await succeed(operator, check);
    expect(made).not.toMatch(/^(?:warning|failed)/m);
    const keyId = /key_id +(\S+)/.exec(made)?.[1] ?? '';
    const apiKey = /eaas_sk_\w+/.exec(made)?.[0] ?? '';
    encrypt = encrypt.replace(/00000000-\S+/, keyId).replace('eaas_sk_…', apiKey);
    expect(await succeed(app, encrypt)).toContain('Plaintext  1//0gRefreshToken');
  });

  test('strangers see no metrics, and the log has the client’s address, whatever the client says', async () => {
    expect(await status('/metrics')).toBe('404');
    expect(await succeed(operator, answerOf('http://127.0.0.1:8080/metrics'))).toBe('200');
    const request = `{ method: 'POST', body: '{"plaintext":"x"}', headers: { 'x-forwarded-for': '192.0.2.99',
      'content-type': 'application/json', authorization: 'Bearer ' + process.env.EAAS_API_KEY } }`;
    expect(await status('/v1/encrypt', request)).toBe('403');
    const log = await succeed(operator, 'eaas audit follow --tenant shop --once');
    const addresses = Array.from(log.matchAll(/"ip_address":(\S+?),.*"metadata"/g), ([, address]) => address);
    expect(addresses).toHaveLength(5);
    expect([...new Set(addresses)]).toEqual(['null', `"${await networkOf('Gateway')}"`]);
  });

  test('systemd finds nothing wrong with the unit, and its sandbox holds', async () => {
    const unit = '/etc/systemd/system/eaas.service';
    expect(await succeed(operator, `systemd-analyze verify ${unit}`)).toBe('');
    await succeed(operator, `systemd-analyze security --offline=true --threshold=20 ${unit}`);
    await succeed(operator, `pid=${await property('MainPID')}; uid=$(stat -c %u /proc/$pid)`);
    const server = await succeed(operator, 'cat /proc/$pid/status');
    for (const line of [/^Uid:\s+[1-9]/m, /^CapBnd:\s+0+$/m, /^NoNewPrivs:\s+1$/m, /^Seccomp:\s+2$/m]) {
      expect(server).toMatch(line);
    }
    await succeed(operator, 'touch /root/secret /dev/secret');
    const forbidden = ['touch /opt/eaas/x', 'touch /var/x', 'cat /root/secret', 'cat /dev/secret'];
    for (const attempt of [...forbidden, 'setpriv --reuid $uid cat /etc/eaas/root.key']) {
      const inside = `nsenter --target $pid --mount ${attempt}`;
      expect(await operator.type(inside)).toMatchObject({ failed: [inside] });
    }
  });

  test('the server ends by itself when systemd stops it, and waits for a database that is down', async () => {
    await succeed(operator, 'systemctl stop eaas');
    expect([await property('Result'), await property('ExecMainStatus')]).toEqual(['success', '0']);
    await succeed(operator, 'systemctl stop postgresql && systemctl start eaas');
    await expect.poll(() => property('NRestarts')).not.toBe('0');
    await succeed(operator, 'systemctl start postgresql');
    await expect.poll(() => status('/readyz')).toBe('200');
  });

  test('after the machine has started again, all serves, and a new shell can go on', async () => {
    await operator.close();
    await machine('restart', 'machine');
    await nameMachine();
    operator = await openMachine();
    await expect.poll(() => status('/readyz')).toBe('200');
    expect(await succeed(app, encrypt)).toContain('Plaintext  1//0gRefreshToken');
    const [variables = ''] = /^set -a.*$/m.exec(page) ?? [];
    const [doctor = ''] = check.split('\n');
    expect(await succeed(operator, `${variables}\n${doctor}`)).toMatch(/^ok +root_key/m);
  });
});
