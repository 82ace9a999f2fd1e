import { execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ProxyEvent } from '@eaas/sdk/proxy';
import { transform } from 'esbuild';
import { read } from '@eaas/test-kit/markdown';
import { freePort } from '@eaas/test-kit/free-port';
import { requireTools } from '@eaas/test-kit/tools';

const manual = read('packages/sdk/docs/browser.md');

export interface Framework {
  readonly name: string;
  readonly folder: 'express' | 'fastify' | 'hono' | 'next' | 'sveltekit';
  readonly build?: readonly string[];
  readonly start: (port: number) => readonly string[];
  readonly modules?: string;
  readonly env?: (origin: string) => Readonly<Record<string, string>>;
}

const before = `
const patientsKeyId = process.env.EAAS_KEY_ID!;
const findSession = async (cookie: string | null) =>
  /(?:^|; )session=42(?:;|$)/.test(cookie ?? '') ? { userId: '42' } : undefined;
const log = { warn: (event: object, _text: string): void => console.log(JSON.stringify(event)) };
`;

/** What stands before and after the lines of the page that mount the proxy in an app. */
const around: Readonly<Record<string, readonly [string, string]>> = {
  Express: [
    `import express from 'express'; const app = express();`,
    `app.get('/', (_, response) => void response.end()); app.listen(Number(process.env.PORT));`,
  ],
  Hono: [
    `import { serve } from '@hono/node-server'; import { Hono } from 'hono'; const app = new Hono();`,
    `app.get('/', (c) => c.text('')); serve({ fetch: app.fetch, port: Number(process.env.PORT) });`,
  ],
  Fastify: [
    `import Fastify from 'fastify'; const app = Fastify();`,
    `app.get('/', async () => ''); await app.listen({ port: Number(process.env.PORT) });`,
  ],
};
const imports = `import { toNodeHandler } from '@eaas/sdk/proxy'; import { proxy } from './eaas-proxy.js';`;

function filesOf(name: string): [string, string][] {
  const [, section = ''] = manual.split(`\n### ${name}\n`);
  const [text = ''] = section.split(/^##/m);
  const found = Array.from(text.matchAll(/^```(?:ts|js) (\S+)\n(.*?)^```$/gms));
  if (found.length === 0) throw new Error(`the section ${name} of browser.md has no file in a code block`);
  const parts = around[name];
  return found.map(([, path = '', code = '']) => [
    path,
    parts ? [imports, parts[0], code, parts[1]].join('\n') : code,
  ]);
}

function proxyModule(): string {
  const [, code = ''] = /^```ts\n(\/\/ eaas-proxy\.ts\n.*?)^```$/ms.exec(manual) ?? [];
  const own = code.replace("'https://app.example'", 'process.env.APP_ORIGIN!');
  if (own === code) {
    throw new Error('the example `eaas-proxy.ts` in `browser.md` must set the option `origin`');
  }
  return before + own;
}

export async function composeApp({ name, folder, modules }: Framework): Promise<string> {
  const home = dirname(await requireTools(`packages/sdk/test/frameworks/${folder}`));
  const place = join(home, 'generated');
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place);
  const own = join(home, 'app');
  if (existsSync(own)) cpSync(own, place, { recursive: true });
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), text);
  };
  for (const [path, code] of [...filesOf(name), [`${modules ?? ''}eaas-proxy.ts`, proxyModule()] as const]) {
    write(path, code);
    if (modules === undefined) {
      write(path.replace(/ts$/, 'js'), (await transform(code, { loader: 'ts' })).code);
    }
  }
  return place;
}

export type RunningApp = Awaited<ReturnType<typeof startApp>>;

export async function startApp(
  framework: Framework,
  place: string,
  service: Readonly<Record<string, string>>,
) {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const env = {
    PATH: process.env['PATH'],
    HOME: place,
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    PORT: String(port),
    APP_ORIGIN: origin,
    ...framework.env?.(origin),
  };
  if (framework.build) {
    // The build gets no API key and no working URL, because a build must not call the service.
    const building = { ...env, EAAS_BASE_URL: 'http://127.0.0.1:1', EAAS_KEY_ID: service['EAAS_KEY_ID'] };
    await promisify(execFile)(process.execPath, framework.build, { cwd: place, env: building });
  }
  const child = spawn(process.execPath, framework.start(port), { cwd: place, env: { ...env, ...service } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  }
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const answers = () =>
    fetch(origin).then(
      (response) => response.ok,
      () => false,
    );
  while (!(await answers())) {
    if (child.exitCode !== null) {
      throw new Error(`the ${framework.name} app ended before it responded: ${output}`);
    }
    await sleep(100);
  }
  return {
    port,
    origin,
    events: (): ProxyEvent[] => {
      // Keeps an incomplete last line until the rest of the line arrives.
      const lines = output.split('\n');
      output = lines.pop() ?? '';
      const events = lines.filter((line) => line.startsWith('{"type":'));
      return events.map((line) => JSON.parse(line) as ProxyEvent);
    },
    stop: async (): Promise<void> => {
      child.kill();
      await ended;
    },
  };
}
