import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { requireTools } from './tools.ts';

export interface Page {
  goto(url: string): Promise<unknown>;
  on(event: 'console', listener: (message: ConsoleMessage) => void): void;
  on(event: 'request', listener: (request: Request) => void): void;
  on(event: 'pageerror' | 'crash', listener: (error: unknown) => void): void;
  context(): {
    /** A session of the Chrome DevTools Protocol. */
    newCDPSession(page: Page): Promise<{
      send(method: string, parameters?: object): Promise<object>;
      on(event: 'Runtime.consoleAPICalled', listener: (call: object) => void): void;
    }>;
  };
  exposeFunction(name: string, run: () => Promise<unknown>): Promise<unknown>;
  addInitScript(script: { readonly content: string }): Promise<unknown>;
  evaluate<T>(expression: string): Promise<T>;
  locator(selector: string): Locator;
  getByRole(role: string, options?: { readonly name?: string | RegExp; readonly exact?: boolean }): Locator;
  getByLabel(label: string | RegExp, options?: { readonly exact?: boolean }): Locator;
  getByText(text: string | RegExp): Locator;
  waitForEvent(event: 'download'): Promise<Download>;
  setViewportSize(size: { readonly width: number; readonly height: number }): Promise<void>;
  emulateMedia(media: {
    readonly colorScheme?: 'light' | 'dark';
    readonly reducedMotion?: 'reduce';
  }): Promise<void>;
  screenshot(options: { readonly path: string; readonly fullPage?: boolean }): Promise<unknown>;
  url(): string;
  pdf(options: { readonly path: string; readonly preferCSSPageSize: true }): Promise<unknown>;
  close(): Promise<void>;
  readonly keyboard: { press(key: string): Promise<void> };
}
interface Locator {
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  selectOption(value: string): Promise<unknown>;
  setInputFiles(paths: string | readonly string[]): Promise<void>;
  focus(): Promise<void>;
  count(): Promise<number>;
  first(): Locator;
  nth(index: number): Locator;
  locator(selector: string): Locator;
  getByRole: Page['getByRole'];
  getByText: Page['getByText'];
  getByLabel: Page['getByLabel'];
  innerText(): Promise<string>;
  inputValue(): Promise<string>;
  isEnabled(): Promise<boolean>;
  waitFor(options?: { readonly state?: 'visible' | 'hidden'; readonly timeout?: number }): Promise<void>;
}
interface Download {
  suggestedFilename(): string;
  path(): Promise<string>;
}
interface Request {
  url(): string;
  postData(): string | null;
}
interface ConsoleMessage {
  type(): string;
  text(): string;
  location(): { readonly url: string };
}
export interface Browser {
  newPage(options?: object): Promise<Page>;
  close(): Promise<void>;
}
interface BrowserType {
  launch(options: object): Promise<Browser>;
}

export const hasChromium = process.platform === 'linux' && process.arch === 'x64';

export async function launchChromium(): Promise<{ browser: Browser; close: () => Promise<void> }> {
  const modules = await requireTools('test/tools/runtimes');
  const directory = mkdtempSync(join(tmpdir(), 'eaas-chromium-'));
  const remove = (): void => rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  try {
    const executablePath = await unpack(modules, directory);
    writeFileSync(join(directory, 'fonts/fonts.conf'), fontsIn(directory));
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

/** Launches the Firefox of Debian. Playwright fills its inputs of files, but none that takes a folder. */
export async function launchFirefox(): Promise<Browser> {
  const modules = await requireTools('test/tools/runtimes');
  const playwright = pathToFileURL(join(modules, 'playwright-core/index.mjs')).href;
  const { firefox } = (await import(playwright)) as { firefox: BrowserType };
  return firefox.launch({ channel: 'moz-firefox', executablePath: '/usr/bin/firefox-esr' });
}

/** Sets a variable of AWS Lambda, because `@sparticuz/chromium` otherwise does not unpack the libraries of Chromium. */
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

function fontsIn(directory: string): string {
  const prefer = (family: string, font: string): string =>
    `<alias binding="same"><family>${family}</family><prefer><family>${font}</family></prefer></alias>`;
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir>${join(directory, 'fonts')}</dir><dir>/usr/share/fonts</dir><cachedir>${join(directory, 'fonts-cache')}</cachedir>
${prefer('system-ui', 'Open Sans')}${prefer('sans-serif', 'Open Sans')}${prefer('monospace', 'DejaVu Sans Mono')}
</fontconfig>
`;
}

function environment(directory: string, executable: string): Record<string, string> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: directory, FONTCONFIG_PATH: join(directory, 'fonts') };
  const starts = spawnSync(executable, ['--version'], { env }).status === 0;
  return starts ? env : { ...env, LD_LIBRARY_PATH: join(directory, 'al2023/lib') };
}
