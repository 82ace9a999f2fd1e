import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eaas, type Environment, run } from '../../../conformance/program.ts';
import type { Tenant } from '../../../faults/place.ts';
import { environmentOf } from '../../../setup/database.ts';
import type { Trial } from '../../trial.ts';
import { createDatabase } from './populate.ts';
import { Servers, serverCount } from './servers.ts';

const earlierCheckout = process.env['PROVE_EARLIER'] ?? '';
const earlierProgram = [process.execPath, join(earlierCheckout, 'packages/cli/bin/eaas.mjs')];
const tenantCount = 8;

async function withoutEarlierVersion(): Promise<string | undefined> {
  if (earlierCheckout === '') return 'PROVE_EARLIER does not name a checkout of an earlier version';
  return access(join(earlierCheckout, 'packages/cli/dist/main.js')).then(
    () => undefined,
    () => `${earlierCheckout} is not built: run \`npm ci\` in it`,
  );
}

export const upgrade: Trial = {
  name: 'upgrade',
  about:
    'eight servers of an earlier version and their database are upgraded under load, and one is put back',
  limit: 600,
  unavailable: withoutEarlierVersion,
  async run(findings) {
    const cluster = await createDatabase(findings);
    const own = environmentOf(cluster.url);
    // Earlier versions read only DATABASE_URL.
    const env = { ...own, DATABASE_URL: own.EAAS_DATABASE_URL };
    await command(earlierProgram, ['migrate', '--json'], env);
    const tenants: Tenant[] = [];
    for (let nth = 0; nth < tenantCount; nth++) tenants.push(await newTenant(env, `tenant ${nth}`));
    const servers = await Servers.start(findings, cluster, {
      env,
      tenants,
      program: earlierProgram,
      inTurn: 4,
    });
    const startedAt = performance.now();
    const { applied } = await command<{ applied: number }>(eaas, ['migrate', '--json'], env);
    findings.figure('migrations', applied);
    findings.figure('migrated in', `${Math.round(performance.now() - startedAt)} ms`);
    if (applied === 0)
      throw new Error(
        'PROVE_EARLIER must be a checkout with an older database schema (got the current schema)',
      );
    await sleep(2_000);
    for (let nth = 0; nth < serverCount; nth++) {
      await servers.restart(nth);
      if (nth === Math.floor(serverCount / 2)) await sleep(3_000);
    }
    await servers.restart(0, earlierProgram);
    findings.try('server of the new version replaced by one of the earlier version');
    await sleep(3_000);
    await servers.restart(0);
    await servers.judge();
  },
};

async function newTenant(env: Environment, name: string): Promise<Tenant> {
  const create = ['tenant', 'create', '--name', name, '--envelope-only', 'false', '--json'];
  const { tenant_id: tenantId } = await command<{ tenant_id: string }>(earlierProgram, create, env);
  const created = await command<{ api_key_id: string; api_key: string }>(
    earlierProgram,
    ['api-key', 'create', '--tenant', tenantId, '--name', 'all', '--permissions', 'all', '--json'],
    env,
  );
  return { tenantId, apiKeyId: created.api_key_id, token: created.api_key };
}

async function command<T>(program: readonly string[], args: readonly string[], env: Environment): Promise<T> {
  const { code, stdout, stderr } = await run([...program, ...args], env);
  if (code !== 0)
    throw new Error(`\`eaas ${args.join(' ')}\` must exit with code 0 (got ${code}): ${stderr}`);
  return JSON.parse(stdout) as T;
}
