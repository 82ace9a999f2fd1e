import { type Browser, hasChromium, launchChromium } from '../chromium.ts';
import { within } from './case.ts';
import { openPageServer } from './page-server.ts';
import { bundleFor, compileInto, type Runtime, type Started, type Work } from './runtime.ts';

export const chromium: Runtime = {
  name: 'Chromium',
  available: hasChromium,
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
  const launched = await launchChromium();
  const server = await openPageServer(script, mounts);
  return {
    run: (settings) => runPage(launched.browser, server, settings),
    stop: async () => {
      await server.close();
      await launched.close();
    },
  };
}

async function runPage(
  browser: Browser,
  server: Awaited<ReturnType<typeof openPageServer>>,
  settings: object,
): Promise<unknown> {
  const page = await browser.newPage();
  const logged: string[] = [];
  page.on('console', (message) => {
    const text = message.text();
    // Ignores the message "Failed to load resource" for a URL of the service. Chromium logs it for every 4xx response,
    // even for one that the test expects.
    const isExpected = server.isMounted(message.location().url) && text.startsWith('Failed to load resource');
    if (['error', 'warning'].includes(message.type()) && !isExpected) logged.push(text);
  });
  const broken = new Promise<never>((_, reject) => {
    page.on('pageerror', (error) => reject(new Error(`The page threw ${String(error)}`)));
    page.on('crash', () => reject(new Error('The page crashed')));
  });
  try {
    const reported = server.serve(settings);
    await page.goto(server.url);
    const { report, violations } = await within(250_000, Promise.race([reported, broken]), 'The page');
    const wrong = [...violations, ...logged];
    if (wrong.length > 0) throw new Error(`the browser logged: ${wrong.join('; ')}`);
    return report;
  } finally {
    await page.close();
  }
}
