import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch } from '@eaas/test-kit/program';
import { blocksOf, read } from '@eaas/test-kit/markdown';
import { isInstalled, whereAvailable } from '@eaas/test-kit/available';
import { freePort } from '@eaas/test-kit/free-port';
import { send } from '@eaas/test-kit/faults/client';

let folder: string;
let port: number;
let process: ReturnType<typeof launch>['child'];
const isClosed = { former: false, later: true };
const servers: Server[] = [];

async function upstream(name: 'former' | 'later'): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(isClosed[name] ? 503 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ name }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

whereAvailable('nginx', isInstalled('nginx', '/usr/sbin'), () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'eaas-test-'));
    port = await freePort();
    const [block = ''] = blocksOf(read('docs/operating/growing.md'), 'nginx');
    const http = block
      .replace('10.0.0.11:8080', await upstream('former'))
      .replace('10.0.0.21:8080', await upstream('later'))
      .replace('443 ssl', `127.0.0.1:${port}`)
      .replace(/^ *ssl_.*\n/gm, '');
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const paths = temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n');
    const settings = `daemon off;\npid ${folder}/pid;\nerror_log ${folder}/error.log;\nevents {}\n`;
    await writeFile(join(folder, 'nginx.conf'), `${settings}http {\naccess_log off;\n${paths}\n${http}}\n`);
    const path = `${globalThis.process.env['PATH']}:/usr/sbin`;
    process = launch(['nginx', '-c', join(folder, 'nginx.conf')], { PATH: path }).child;
    while ((await send({ port }, '', 'GET', '/')).status === 0 && process.exitCode === null) await sleep(20);
  });

  afterAll(async () => {
    const ended = once(process, 'close');
    process.kill('SIGTERM');
    await ended;
    for (const server of servers) server.close().closeAllConnections();
    await rm(folder, { recursive: true, force: true });
  });

  const answeredBy = async (method = 'POST') => {
    const { status, body } = await send({ port }, '', method, '/v1/keys', method === 'POST' ? {} : undefined);
    return `${status} ${String(body['name'])}`;
  };

  test('nginx, configured as docs/operating/growing.md says, sends each request to the server that serves the tenant', async () => {
    expect([await answeredBy(), await answeredBy('GET')]).toEqual(['200 former', '200 former']);
    Object.assign(isClosed, { former: true, later: false });
    expect([await answeredBy(), await answeredBy('GET')]).toEqual(['200 later', '200 later']);
    // The second server no longer serves the tenant, but the first server does. nginx must send requests to the first
    // server again.
    Object.assign(isClosed, { former: false, later: true });
    expect([await answeredBy(), await answeredBy('GET')]).toEqual(['200 former', '200 former']);
  });

  test('nginx sends requests to the second server if the first server has stopped', async () => {
    Object.assign(isClosed, { former: false, later: false });
    servers[0]?.close().closeAllConnections();
    expect([await answeredBy(), await answeredBy('GET')]).toEqual(['200 later', '200 later']);
  });
});
