// The console: the pages of the package `@eaas/console`, and the session that a sign-in code buys.
import { readdir, readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { readInput, Refusal } from '@eaas/service';
import { requireBodyType } from '@eaas/protocol/internal-service';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod/mini';
import { ifExists } from '../base/durable-files.ts';
import { readBody } from './body.ts';
import { canonicalIp } from './visit.ts';
import { servePage, serveStatic } from './pages.ts';
import { send } from './problems.ts';

/** What a sign-in code buys: an API key for the console, until it expires. */
export interface ConsoleSession {
  readonly api_key: string;
  readonly expires_at: string;
  readonly tenant: string;
}

/** The pages of the console, and the address under which browsers open it. */
export interface ConsoleOptions {
  readonly pages: readonly ConsolePage[] | null;
  readonly publicUrl: string | null;
}

/** Takes a sign-in code, and the address of whoever has it. */
export type SignIn = (code: string, ipAddress: string | null) => Promise<ConsoleSession>;

const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
} as const;

const session = { body: z.strictObject({ code: z.string() }) };
const longestSignIn = 64 * 1024;

/** Serves the pages of the console, and the sign-in. Requests of these pages need no allowed origin. */
export function serveConsole(app: FastifyInstance, options: ConsoleOptions, signIn?: SignIn): void {
  const { pages } = options;
  let origins: ReadonlySet<string> | undefined;
  app.addHook('onRequest', (request, _, done) => {
    const { origin } = request.headers;
    if (origin !== undefined) {
      origins ??= ownOrigins(app, options);
      if (origins.has(origin)) {
        request.visit.isSameOrigin = true;
        delete request.raw.headers.origin;
      }
    }
    done();
  });
  if (pages) serveConsolePages(app, pages);
  if (!pages?.some(({ url }) => url === '/')) redirect(app, '/', pages ? '/console/' : '/docs');
  if (signIn) serveSignIn(app, signIn);
}

/**
 * Returns the origins of the server's own pages. The Host header of requests is not used, because a client can set this
 * header to any value.
 */
function ownOrigins(app: FastifyInstance, { publicUrl }: ConsoleOptions): ReadonlySet<string> {
  if (publicUrl !== null) return new Set([publicUrl]);
  const scheme = 'setSecureContext' in app.server ? 'https' : 'http';
  const { port } = app.server.address() as AddressInfo;
  const hosts = ['localhost', '127.0.0.1', '[::1]'];
  return new Set(hosts.map((host) => new URL(`${scheme}://${host}:${port}`).origin));
}

function serveConsolePages(app: FastifyInstance, pages: readonly ConsolePage[]): void {
  for (const { url, type, bytes, isHashed } of pages) {
    const headers = {
      ...pageHeaders,
      'content-type': type,
      'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    };
    serveStatic(app, url, () => ({ bytes, headers }));
  }
  redirect(app, '/console', '/console/');
}

function redirect(app: FastifyInstance, url: string, location: string): void {
  servePage(app, url, (_, reply) => reply.redirect(location, 302));
}

function serveSignIn(app: FastifyInstance, signIn: SignIn): void {
  app.route({
    method: 'POST',
    url: '/console/session',
    handler: async (request, reply) => {
      if (!request.visit.isSameOrigin) {
        throw new Refusal(
          'origin_refused',
          'A sign-in code works only on a page of this server: open the console at the URL that the server printed.',
        );
      }
      const { type, encoding, bytes } = request.visit.body;
      if (bytes > 0) requireBodyType(type, encoding, true);
      const bodyOf = await new Promise<() => Uint8Array>((then) =>
        readBody(request.raw, bytes, longestSignIn, then),
      );
      const { code } = readInput(session, { url: request.raw.url ?? '', body: bodyOf() }) as {
        readonly code: string;
      };
      const bought = await signIn(code, canonicalIp(request.ip));
      return send(reply.code(201), 'application/json', JSON.stringify(bought));
    },
  });
}

export type ConsolePage = Awaited<ReturnType<typeof readPage>>;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** Returns null if the package of the pages is not installed. */
export async function readConsolePages(hasPlayground: boolean): Promise<readonly ConsolePage[] | null> {
  const folder = await consoleFolder();
  if (!folder) return null;
  const names = await ifExists(readdir(new URL('console/assets/', folder)));
  if (!names) return null;
  const assets = names.filter((name) => /^[\w.-]+$/.test(name) && extname(name) in types);
  const pages = hasPlayground
    ? { '/': 'index.html', '/console/': 'console/index.html' }
    : { '/console/': 'console/without-playground.html' };
  return Promise.all([
    ...Object.entries(pages).map(([url, path]) => readPage(folder, path, url, false)),
    ...assets.map((name) => readPage(folder, `console/assets/${name}`, `/console/assets/${name}`, true)),
  ]);
}

/** Returns the page `/docs`, if the package of the pages is installed. */
export async function readApiPage(): Promise<Buffer | undefined> {
  const folder = await consoleFolder();
  return folder && ifExists(readFile(new URL('docs/index.html', folder)));
}

/**
 * Imports the optional package `@eaas/console` dynamically, because a static import of a missing package would fail.
 */
async function consoleFolder(): Promise<URL | undefined> {
  const optional: string = '@eaas/console/files';
  try {
    const { default: folder } = (await import(optional)) as { readonly default: URL };
    return folder;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

async function readPage(folder: URL, path: string, url: string, isHashed: boolean) {
  const type = types[extname(path)] ?? 'application/octet-stream';
  return { url, type, bytes: await readFile(new URL(path, folder)), isHashed };
}
