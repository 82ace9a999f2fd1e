import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from '../../packages/dev/src/account.ts';
import { blocksOf, readManual } from './markdown.ts';
import { accepts } from './accepts.ts';
import { isInstalled } from './available.ts';
import { freePort } from './free-port.ts';

export type Proxy = 'haproxy' | 'nginx' | 'caddy';

export const hasProxy = (proxy: Proxy): boolean => isInstalled(proxy, '/usr/sbin', '/usr/local/sbin');

export type RunningProxy = Awaited<ReturnType<typeof startProxy>>;

export async function startProxy(proxy: Proxy, servers: readonly number[]) {
  const directory = await mkdtemp(join(tmpdir(), 'eaas-test-'));
  await chmod(directory, 0o755);
  const port = await freePort();
  const file = join(directory, 'proxy.conf');
  const files = { haproxy: haproxyFile, nginx: nginxFile, caddy: caddyFile };
  await writeFile(file, withServers(await files[proxy](port, directory), servers));
  const args = {
    haproxy: ['-q', '-db', '-f', file],
    nginx: ['-p', directory, '-c', file],
    caddy: ['run', '--adapter', 'caddyfile', '--config', file],
  }[proxy];
  const child = spawn(proxy, args, {
    env: { ...environment, HOME: directory },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    await rm(directory, { recursive: true, force: true });
  };
  for (let attempt = 0; !(await accepts({ port, host: '127.0.0.1' })); attempt++) {
    if (child.exitCode !== null || attempt > 10_000) {
      await stop();
      throw new Error(`${proxy} did not start:\n${errors}`);
    }
    await sleep(10);
  }
  return { port, pid: child.pid ?? 0, stop };
}

function blockOf(language: string, word: string): string {
  const found = blocksOf(readManual(), language).filter((block) => block.includes(word));
  if (found.length !== 1) {
    throw new Error(
      `the manual must have exactly one ${language} code block that contains "${word}" (got ${found.length})`,
    );
  }
  return found[0] ?? '';
}

function haproxyFile(port: number): string {
  return blockOf('haproxy', 'balance hash').replace(/bind .*/, `bind 127.0.0.1:${port}`);
}

/** The manual shows `server` and `upstream` in separate nginx blocks. This file contains both. */
function nginxFile(port: number, directory: string): string {
  const server = blockOf('nginx', 'listen 443 ssl').replace(/^upstream \S+ \{.*?^\}/ms, '');
  const plain = server.replace(/listen 443 ssl/, `listen 127.0.0.1:${port}`).replace(/^.*ssl_.*\n/gm, '');
  const names = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return [
    'daemon off;',
    `pid ${directory}/nginx.pid;`,
    'error_log stderr;',
    'events { worker_connections 1024; }',
    'http {',
    'access_log off;',
    ...names.map((name) => `${name}_temp_path ${directory}/${name};`),
    blockOf('nginx', '$http_authorization'),
    plain,
    '}',
    '',
  ].join('\n');
}

/** The file of the example, without TLS. */
async function caddyFile(port: number): Promise<string> {
  const text = await readFile(new URL('../../examples/self-host/Caddyfile', import.meta.url), 'utf8');
  return text
    .replace('skip_install_trust', 'admin off')
    .replace('{$EAAS_DOMAIN:localhost}', `http://127.0.0.1:${port}`);
}

function withServers(text: string, servers: readonly number[]): string {
  let nth = 0;
  const targets = servers.map((port) => `127.0.0.1:${port}`).join(' ');
  return text
    .replace('server-a:8080 server-b:8080', targets)
    .replace(/^( *server .*)10\.0\.0\.\d+:\d+(.*)\n/gm, (_, before: string, after: string) => {
      const port = servers[nth++];
      return port === undefined ? '' : `${before}127.0.0.1:${port}${after}\n`;
    });
}
