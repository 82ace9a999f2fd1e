// What loggers, runtimes and the console of a browser print of concealed values.
import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { whereAvailable } from '@eaas/test-kit/available';
import { browserBuild } from '@eaas/test-kit/browser-build';
import { hasChromium, launchChromium } from '@eaas/test-kit/chromium';
import { bun, deno } from '@eaas/test-kit/runtimes/programs';
import { requireTools } from '@eaas/test-kit/tools';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** Logs rows before and after it reveals them, and whether it revealed them. */
const program = `
  import { createTestService } from '@eaas/local';
  import { EaasClient } from '@eaas/sdk';
  import { defineFields, field, plaintext, reveal } from '@eaas/sdk/fields';
  const service = createTestService();
  const eaas = new EaasClient({ ...service, keyId: (await service.createKey('k')).key_id });
  const text = field.text({ previous: plaintext() }).concealed();
  const fields = { text, json: field.json().concealed(), bytes: field.bytes().concealed() };
  const records = defineFields({ notes: fields }).for(eaas);
  const canary = ['canary', 7319].join('-');
  const values = { text: canary, json: { canary }, bytes: new TextEncoder().encode(canary) };
  const stored = await records.encryptRow('notes', 1, values);
  const row = await records.decryptRow('notes', 1, stored);
  const old = await records.decryptRow('notes', 1, { text: canary });
  const moved = await records.decryptRow('notes', 2, stored);
  for (const time of ['before', 'after']) {
    const error = await moved.text.reveal().catch((error) => error);
    for (const thing of [row, row.text, old.text, [[row, old]], error, new Error('x', { cause: { error, old } })]) {
      for (const log of [console.log, console.error, console.dir, console.table]) log(thing);
      console.log('%s %o %O', thing, thing, thing);
      console.dir(thing, { depth: null, showHidden: true });
      for (const logger of loggers) logger.info(thing), logger.error({ thing }), logger.info('failed', thing);
    }
    const [shown] = await reveal([row], ['text', 'json']);
    const texts = [shown.text, shown.json.canary, await row.text.reveal(), await old.text.reveal()];
    console.log([time, ...texts.map((text) => text === canary)].join());
  }`;
const none = 'const loggers = [];';
const both = `
  import pino from 'pino';
  import winston from 'winston';
  const loggers = [pino(), winston.createLogger({ transports: [new winston.transports.Console()] })];`;

/** Runs a program from its standard input where loggers are installed, and returns what it prints. */
const runWith = (command: () => Promise<string[]>) => async (code: string) => {
  const [file = '', ...args] = await command();
  const running = promisify(execFile)(file, args, { cwd: await requireTools('test/tools/loggers') });
  running.child.stdin?.end(code);
  const { stdout, stderr } = await running;
  return stdout + stderr;
};

async function runInPage(code: string): Promise<string> {
  const { browser, close } = await launchChromium();
  const page = await browser.newPage();
  const printed: string[] = [];
  // What the developer tools get of each call, with previews of objects.
  const session = await page.context().newCDPSession(page);
  session.on('Runtime.consoleAPICalled', (call) => void printed.push(JSON.stringify(call)));
  await session.send('Runtime.enable');
  await page.goto(pathToFileURL(import.meta.filename).href);
  await page.evaluate(`(async () => { ${code} })()`);
  await close();
  return printed.join('\n');
}

const places = [
  ['Node', true, runWith(async () => [process.execPath, '--input-type=module']), both, /:30,[^]*"info"/],
  ['Bun', true, runWith(async () => [await bun(), 'run', '-']), none, /Concealed \{ notes\.text \}/],
  ['Deno', true, runWith(async () => [await deno(), 'run', '-E', '-']), none, /Concealed \{ notes\.text \}/],
  ['Chromium', hasChromium, runInPage, none, /Concealed/],
] as const;

for (const [name, available, run, loggers, shown] of places) {
  whereAvailable(name, available, () => {
    test('what is printed has no concealed value', async () => {
      const stdin = { contents: loggers + program, resolveDir: import.meta.dirname };
      const more = { conditions: ['@eaas/source', 'browser'], external: ['pino', 'winston'], minify: false };
      const { outputFiles } = await build({ ...browserBuild, ...more, splitting: false, stdin });
      const printed = await run(outputFiles[0]?.text ?? '');
      expect(printed).toMatch(/before,true,true,true,true[^]*after,true,true,true,true/);
      expect(printed).toMatch(shown);
      expect(printed).not.toMatch(/canary-7319|99,\s*97,\s*110|eaasA/);
    });
  });
}
