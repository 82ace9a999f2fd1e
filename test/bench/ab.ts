// node --conditions=@eaas/source --import tsx test/bench/ab.ts ROUNDS SECONDS CASES name=checkout …
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { programOf } from '@eaas/test-kit/built-program';
import { jsonLines } from '@eaas/test-kit/command-line';
import { environmentOf } from '@eaas/test-kit/database';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { run } from '@eaas/test-kit/program';
import { cpuMicrosecondsOfEach } from './cpu-time.ts';
import { startDeferred } from './open-operator.ts';
import { batchRequest, encryptOf, hashOf, newCustomers, unwrapOf, wrapOf } from './operations.ts';
const [rounds, seconds, cases, ...given] = process.argv.slice(2);
const steps: (() => unknown)[] = [];
const defer = (s: () => unknown) => void steps.push(s);
const sides: any[] = [];
for (const text of given) {
  const [name, checkout = ''] = text.split('=');
  const postgres = await OwnPostgres.start('installed', false);
  defer(postgres.drop);
  const env = {
    ...environmentOf(postgres.url),
    EAAS_LOG_LEVEL: process.env['AB_LOG'] ?? 'info',
    PROF_OUT: `/tmp/prof-${name}.json`,
  };
  const program = [
    process.execPath,
    '--enable-source-maps',
    ...(process.env['PROF'] ? ['--import', '/tmp/eaas/prof.mjs'] : []),
    programOf(checkout),
  ];
  const plain = [process.execPath, programOf(checkout)];
  const command = async (...args: string[]) => {
    const r = await run([...plain, ...args, '--json'], env);
    if (r.code !== 0) throw new Error(r.stdout + r.stderr);
    return jsonLines<any>(r.stdout)[0] ?? {};
  };
  await command('migrate');
  const newTenant = async () => {
    await command('tenant', 'create', '--name', 'bench', '--envelope-only', 'false');
    const { api_key = '' } = await command(
      'api-key',
      'create',
      '--tenant',
      'bench',
      '--name',
      'all',
      '--permissions',
      'all',
    );
    return { token: api_key };
  };
  const server = await startDeferred(defer as never, env, program);
  const [customer] = await newCustomers({ newTenant }, server, 1);
  sides.push({ name, server, postgres, customer });
}
const makers: Record<string, [(c: any) => string, number]> = {
  wrap: [wrapOf, 1],
  unwrap: [unwrapOf, 1],
  hash: [hashOf, 1],
  encrypt: [encryptOf, 1],
  wrap100: [(c) => batchRequest('wrap', c, 100), 100],
  unwrap100: [(c) => batchRequest('unwrap', c, 100), 100],
};
function wrk(port: number, text: string, connections: number, s: number) {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [line = '', ...headers] = head.split('\r\n');
  const [method, path] = line.split(' ');
  const lua = `/tmp/ab-${port}.lua`;
  writeFileSync(
    lua,
    `wrk.method="${method}"\nwrk.body=[[${body}]]\n` +
      headers
        .filter((h) => !/^(host|content-length)/i.test(h))
        .map((h) => `wrk.headers["${h.split(': ')[0]}"]="${h.slice(h.indexOf(': ') + 2)}"\n`)
        .join(''),
  );
  const { stdout } = spawnSync(
    'wrk',
    ['-t1', `-c${connections}`, `-d${s}s`, '--latency', '-s', lua, `http://127.0.0.1:${port}${path}`],
    { encoding: 'utf8' },
  );
  const total = Number(/(\d+) requests in/.exec(stdout)?.[1] ?? 0);
  if (/Non-2xx/.test(stdout)) console.log(stdout);
  return {
    total,
    p50: /50%\s+(\S+)/.exec(stdout)?.[1],
    p99: /99%\s+(\S+)/.exec(stdout)?.[1],
    rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
  };
}
for (const each of (cases ?? '').split(',')) {
  const [what = '', width = '64'] = each.split(':');
  const [make, per] = makers[what] as [(c: any) => string, number];
  for (const side of sides) wrk(side.server.port, make(side.customer), Number(width), 3);
  if (process.env['PROF'])
    for (const side of sides) {
      process.kill(side.server.pid, 'SIGUSR2');
      wrk(side.server.port, make(side.customer), Number(width), 4);
      process.kill(side.server.pid, 'SIGUSR2');
      await new Promise((r) => setTimeout(r, 1500));
      spawnSync('mv', [`/tmp/prof-${side.name}.json`, `/tmp/prof-${side.name}-${what}${width}.json`]);
    }
  const taken = new Map<string, any[]>(sides.map((s) => [s.name, []]));
  const appendsOf = async (side: any) =>
    Number(
      /eaas_audit_appends_total (\d+)/.exec(
        await (await fetch(`http://127.0.0.1:${side.server.port}/metrics`)).text(),
      )?.[1],
    );
  for (let r = 0; r < Number(rounds); r++)
    for (const side of r % 2 ? sides.toReversed() : sides) {
      const before = await cpuMicrosecondsOfEach([side.server.pid, side.postgres.pid]);
      const a0 = await appendsOf(side);
      const m = wrk(side.server.port, make(side.customer), Number(width), Number(seconds));
      const after = await cpuMicrosecondsOfEach([side.server.pid, side.postgres.pid]);
      await new Promise((r) => setTimeout(r, 1100));
      const items = m.total * per;
      const a1 = await appendsOf(side);
      taken
        .get(side.name)
        ?.push({
          ...m,
          per: m.total / (a1 - a0),
          server: ((after[0] ?? 0) - (before[0] ?? 0)) / items,
          pg: ((after[1] ?? 0) - (before[1] ?? 0)) / items,
        });
    }
  const med = (l: any[], k: string) => l.map((x) => x[k]).sort((a, b) => a - b)[Math.floor(l.length / 2)];
  const base = taken.get(sides[0].name) as any[];
  for (const [name, l] of taken)
    console.log(
      `${each.padEnd(12)} ${name.padEnd(8)} ${(med(l, 'rate') * per).toFixed(0)}/s (x${(med(l, 'rate') / med(base, 'rate')).toFixed(2)}) server ${med(l, 'server').toFixed(1)} us (x${(med(l, 'server') / med(base, 'server')).toFixed(3)}) pg ${med(l, 'pg').toFixed(1)} calls/append ${med(l, 'per').toFixed(1)} p50 ${l[0].p50} p99 ${l[0].p99}`,
    );
}
for (const s of steps.toReversed()) await s();
process.exit();
