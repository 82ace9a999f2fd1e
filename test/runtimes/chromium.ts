import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { requireTools } from '../setup/tools.ts';
import { openPageServer } from './page-server.ts';
import { bundleFor, compileInto, type Runtime, type Started, within, type Work } from './runtime.ts';

/** The part of Playwright's API that is used here. */
interface Page {
  goto(url: string): Promise<unknown>;
  on(event: 'console', listener: (message: ConsoleMessage) => void): void;
  on(event: 'pageerror' | 'crash', listener: (what: unknown) => void): void;
  close(): Promise<void>;
}
interface ConsoleMessage {
  type(): string;
  text(): string;
  location(): { readonly url: string };
}
interface Browser {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}
interface BrowserType {
  launch(options: object): Promise<Browser>;
}

const isLinux = process.platform === 'linux' && process.arch === 'x64';

export const chromium: Runtime = {
  name: 'Chromium',
  leftOut: isLinux ? undefined : 'its package holds the program for Linux on x64 only',
  start,
};

async function start({ app, module, mounts = {} }: Work): Promise<Started> {
  const compiled = await compileInto(app, module, 'esnext');
  const code = `
    import { run } from ${JSON.stringify(compiled)};
    const violations = [];
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      violations.push(violatedDirective + ' ' + blockedURI));
    const settings = await (await fetch('/settings')).json();
    const report = await run(settings, []).catch((error) => ({ failed: String(error.stack ?? error) }));
    await fetch('/report', { method: 'POST', body: JSON.stringify({ report, violations }) });`;
  const script = await bundleFor(app, { code, conditions: ['browser'] });
  const launched = await launch(await requireTools('runtimes'));
  const server = await openPageServer(script, mounts);
  return {
    run: (settings) => runPage(launched.browser, server, settings),
    stop: async () => {
      await server.close();
      await launched.close();
    },
  };
}

/** Opens the page and waits for its report. Whatever the browser complains of on the way is an error. */
async function runPage(
  browser: Browser,
  server: Awaited<ReturnType<typeof openPageServer>>,
  settings: object,
): Promise<unknown> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    const text = message.text();
    // A refusal by what is mounted is an answer; the browser calls every 4xx an error.
    const isAnswer = server.isMounted(message.location().url) && text.startsWith('Failed to load resource');
    if (['error', 'warning'].includes(message.type()) && !isAnswer) complaints.push(text);
  });
  const broken = new Promise<never>((_, reject) => {
    page.on('pageerror', (error) => reject(new Error(`The page threw ${String(error)}`)));
    page.on('crash', () => reject(new Error('The page crashed')));
  });
  try {
    const reported = server.serve(settings);
    await page.goto(server.url);
    const { report, violations } = await within(60_000, Promise.race([reported, broken]), 'The page');
    const wrong = [...violations, ...complaints];
    if (wrong.length > 0) throw new Error(`The browser complained: ${wrong.join('; ')}`);
    return report;
  } finally {
    await page.close();
  }
}

/** Unpacks the browser into a folder of its own, and starts it. */
async function launch(modules: string): Promise<{ browser: Browser; close: () => Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), 'eaas-chromium-'));
  const remove = (): void => rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  try {
    const executablePath = await unpack(modules, directory);
    const playwright = pathToFileURL(join(modules, 'playwright-core/index.mjs')).href;
    const { chromium: type } = (await import(playwright)) as { chromium: BrowserType };
    const browser = await type.launch({
      executablePath,
      headless: true,
      env: environment(directory, executablePath),
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-quic', '--no-first-run'],
    });
    const close = async (): Promise<void> => {
      await browser.close();
      remove();
    };
    return { browser, close };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Its package unpacks to a fixed name under TMPDIR, and the libraries that it needs only where it finds itself in a cloud. */
async function unpack(modules: string, directory: string): Promise<string> {
  const program = `
    import chromium from '@sparticuz/chromium';
    chromium.setGraphicsMode = false;
    console.log(await chromium.executablePath());`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: modules,
    env: { PATH: process.env['PATH'], TMPDIR: directory, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
  });
  return stdout.trim();
}

/** The libraries that came along are used where the system has none. */
function environment(directory: string, executable: string): Record<string, string> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: directory, FONTCONFIG_PATH: join(directory, 'fonts') };
  const starts = spawnSync(executable, ['--version'], { env }).status === 0;
  return starts ? env : { ...env, LD_LIBRARY_PATH: join(directory, 'al2023/lib') };
}
