import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { eaas, run } from '@eaas/test-kit/program';
import { blocksOf, read } from '@eaas/test-kit/markdown';
import { openTerminal, type Terminal } from '@eaas/test-kit/terminal';
import { send } from '@eaas/test-kit/faults/client';
import { newKey, operate, startReplica } from '@eaas/test-kit/faults/place';
import { isInstalled, whereAvailable } from '@eaas/test-kit/available';
import { createDatabase } from '@eaas/test-kit/database';
import { freePort } from '@eaas/test-kit/free-port';
import { alertTests } from '@eaas/test-kit/alerts';
import { attributesOf, type Span, startCollector } from './collector.ts';
import { telemetryFolder } from '@eaas/test-kit/with-telemetry';

const blocks = blocksOf(read('docs/operating/observability.md'), 'sh');

function blockWith(text: string): string {
  const found = blocks.filter((block) => block.includes(text));
  if (found.length !== 1) {
    throw new Error(`observability.md must have one shell block with "${text}" (got ${found.length})`);
  }
  return found[0] ?? '';
}

const database = await createDatabase();
const operator = await closing(operate(database.url), (it) => it.close());
const place = await closing(telemetryFolder(), (it) => it.remove());
const server = await closing(startReplica(operator.env), (it) => it.kill());
const tenant = await operator.newTenant({ name: 'acme' });
const keyId = await newKey(server, tenant.token);
const dek = randomBytes(32).toString('base64');
await send(server, tenant.token, 'POST', `/v1/keys/${keyId}/wrap`, { dek });

async function openOwnTerminal(env: Readonly<Record<string, string>> = {}): Promise<Terminal> {
  const terminal = await openTerminal(place.folder, { ...operator.env, ...env });
  onTestFinished(() => terminal.close());
  await terminal.type(`eaas() { ${eaas.map((word) => `'${word}'`).join(' ')} "$@"; }`);
  return terminal;
}

async function expectDone(terminal: Terminal, commands: string): Promise<void> {
  const { failed, output } = await terminal.type(commands);
  expect({ failed, output: failed.length > 0 ? output : '' }).toEqual({ failed: [], output: '' });
}

whereAvailable('Prometheus', isInstalled('prometheus') && isInstalled('promtool'), () => {
  test('the alerting rules pass their unit tests', async () => {
    const { code, stdout, stderr } = await run(['promtool', 'test', 'rules', ...alertTests], {});
    expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' });
  });

  test('promtool finds no fault in the metrics of a server', async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
    const { stderr } = await run(['promtool', 'check', 'metrics'], {}, { input: metrics });
    expect(stderr).toBe('');
  });
});

test('a server with OpenTelemetry, started as docs/operating/observability.md says, exports the trace of a client', async () => {
  const collector = await startCollector();
  const port = await freePort();
  const terminal = await openOwnTerminal({
    EAAS_PORT: String(port),
    OTEL_BSP_SCHEDULE_DELAY: '100',
  });
  const program = eaas[2] ?? '';
  const commands = blockWith('node --import ./telemetry.mjs')
    .replace(':4318', `:${collector.port}`)
    .replace('node_modules/@eaas/cli/bin/eaas.mjs', program);
  await terminal.type(`${commands.trim()} > server.log 2>&1 &`);
  await expect
    .poll(() => readFile(join(place.folder, 'server.log'), 'utf8').catch(() => ''))
    .toContain('Eaas listens on');
  const [typed = ''] = blocksOf(read('examples/observability/README.md'), 'sh').slice(-1);
  const command = typed.trim().split('\n').at(-1) ?? '';
  const client = await run(
    command.replace('--env-file=../../.env ', '').split(' '),
    {
      ...collector.env,
      EAAS_BASE_URL: `http://127.0.0.1:${port}`,
      EAAS_API_KEY: tenant.token,
      EAAS_KEY_ID: keyId,
    },
    { cwd: place.folder },
  );
  expect(client).toMatchObject({ code: 0, stderr: '' });
  const [, traceId] = /^Trace (\w{32}) encrypted eaasA/.exec(client.stdout) ?? [];
  const pathOf = (span: Span | undefined): string[] =>
    span ? [...pathOf(collector.spans.find(({ spanId }) => spanId === span.parentSpanId)), span.name] : [];
  const serving = () => collector.spans.find((span) => span.traceId === traceId && span.kind === 2);
  const wrap = 'POST /v1/keys/:key_id/wrap';
  await expect
    .poll(() => pathOf(serving()))
    .toEqual(['save a patient', 'eaas mint data key', `eaas ${wrap}`, wrap, wrap]);
  expect(attributesOf(serving() ?? {})['http.response.status_code']).toBe(200);
});

test('the table of spans in docs/operating/observability.md names every span of the server', async () => {
  const page = read('docs/operating/observability.md');
  const sources = ['http/api.ts', 'postgres/database.ts'];
  const code = sources.map((path) => read(`packages/server/src/${path}`)).join('');
  const names = Array.from(code.matchAll(/(?:traced|step)\('([\w.]+)'/g), ([, name]) => name);
  expect(new Set(names).size).toBeGreaterThan(5);
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('the commands in docs/operating/observability.md ship the audit log', async () => {
  const terminal = await openOwnTerminal();
  const content = (name: string) => readFile(join(place.folder, name), 'utf8').catch(() => '');
  await terminal.type('logger() { cat > logged; }');
  for (const [command, file] of [
    ['>> audit.ndjson', 'audit.ndjson'],
    ['| logger', 'logged'],
  ] as const) {
    await terminal.type(`${blockWith(command).trim()} &`);
    await expect.poll(() => content(file)).toContain('key.wrap');
    await expectDone(terminal, 'kill %1; wait %1 || true');
  }
  const { output } = await terminal.type('eaas audit checkpoint --tenant acme');
  const verifierKey = /eaas\/\S+\+\S+\+\S+/.exec(output)?.[0] ?? '';
  await expectDone(terminal, blockWith('verify-file').replace('eaas/…+…+…', verifierKey));
  await expectDone(terminal, blockWith('acme-restored.ndjson'));
  expect(await content('acme-restored.ndjson')).toBe(await content('acme.ndjson'));
});
