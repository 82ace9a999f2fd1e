import { hasChromium, launchChromium } from '@eaas/test-kit/chromium';
import { root } from '@eaas/test-kit/markdown';
import { run } from '@eaas/test-kit/program';
import { median } from '@eaas/test-kit/statistics';
import { serveSplitPage } from '../../packages/sdk/test/runtimes/split-page.ts';
import type { Defer, Measurement } from './compare.ts';
import type { Figures } from './figures.ts';

const starts = 15;
const target = 60;

export const benchmark: Measurement = {
  name: 'cold-start',
  about: `the first encrypted value of ${starts} fresh processes and pages, with a service that answers from memory; in Node at most ${target} ms after the import begins`,
  async measure(defer, print) {
    const node = await figuresOf('Node', nodeParts, firstInProcess);
    if (!hasChromium) {
      print('not available: Chromium');
      return [node];
    }
    return [node, await figuresOf('Chromium', pageParts, await pages(defer))];
  },
};

/** The time of a moment, and the CPU time that the process had used by then, in milliseconds. A page cannot read its own. */
interface Moment {
  readonly at: number;
  readonly cpu?: number;
}

const nodeParts = ['import', 'new EaasClient', 'until the request', 'until the value', 'second value'];
const pageParts = [
  'page and scripts',
  'createBrowserClient',
  'until the request',
  'until the value',
  'second value',
];

async function figuresOf(
  name: string,
  parts: readonly string[],
  first: () => Promise<readonly Moment[]>,
): Promise<Figures> {
  const taken: (readonly Moment[])[] = [];
  for (let start = 0; start <= starts; start++) {
    const moments = await first();
    // The first one fills the caches of the file system.
    if (start > 0) taken.push(moments);
  }
  const spent = (of: keyof Moment, from: number, to: number): number[] =>
    taken.map((moments) => (moments[to]?.[of] ?? 0) - (moments[from]?.[of] ?? 0));
  const hasCpu = taken[0]?.[0]?.cpu !== undefined;
  const row = (name: string, from: number, to: number) => {
    const times = spent('at', from, to);
    const cpu = hasCpu ? [median(spent('cpu', from, to))] : [];
    return { name, values: [median(times), Math.min(...times), ...cpu] };
  };
  return {
    name,
    columns: ['median, ms', 'fastest, ms', ...(hasCpu ? ['CPU time, ms'] : [])],
    rows: [row('first encrypted value', 0, 4), ...parts.map((part, at) => row(part, at, at + 1))],
  };
}

/** Encrypts two values with a new client, and notes the moments. */
const steps = (client: string): string => `
  const keyId = '00000000-0000-4000-8000-000000000002';
  const wrapped_key = btoa('\\x01'.repeat(78));
  const fetch = async () => {
    note();
    return Response.json({ key_id: keyId, key_version: 1, wrapped_key });
  };
  const client = ${client};
  note();
  await client.encrypt('Ada', { context: { row: '1' } });
  note();
  await client.encrypt('Ada', { context: { row: '2' } });
  note();
  await client.close?.();`;

const program = `
  const moments = [];
  const note = () => {
    const { user, system } = process.cpuUsage();
    moments.push({ at: performance.now(), cpu: (user + system) / 1_000 });
  };
  note();
  const { EaasClient } = await import('@eaas/sdk');
  note();
  ${steps(`new EaasClient({ baseUrl: 'https://eaas.example', apiKey: 'eaas_sk_' + 'a'.repeat(49), keyId, fetch })`)}
  console.log(JSON.stringify(moments));`;

export async function firstInProcess(checkout = root): Promise<readonly Moment[]> {
  const { code, stdout, stderr } = await run(
    [process.execPath, '--input-type=module', '--eval', program],
    {},
    { cwd: checkout },
  );
  if (code !== 0) throw new Error(`the process failed (${code}):\n${stderr}`);
  return JSON.parse(stdout) as readonly Moment[];
}

const page = `
  import { createBrowserClient } from '@eaas/sdk/browser';
  const moments = [{ at: 0 }];
  const note = () => moments.push({ at: performance.now() });
  note();
  async function start() {
    ${steps('createBrowserClient({ keyId, fetch })')}
    return moments;
  }
  globalThis.started = start();`;

async function pages(defer: Defer): Promise<() => Promise<readonly Moment[]>> {
  const site = await serveSplitPage(page);
  defer(site.close);
  const { browser, close } = await launchChromium();
  defer(close);
  return async () => {
    const opened = await browser.newPage();
    await opened.goto(site.url);
    const moments = await opened.evaluate<Moment[]>('started');
    await opened.close();
    return moments;
  };
}
