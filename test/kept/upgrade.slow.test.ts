// The upgrade of a server as our pages say it: `eaas migrate` while the older version runs, one restarted after the other, and back
// by one version. Two versions share a database, and answer every call alike.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as Sdk from '@eaas/sdk';
import { client } from '@eaas/test-kit/api';
import { builtScript } from '@eaas/test-kit/built-program';
import { call, materialFor, routes } from '@eaas/test-kit/calls';
import { closing } from '@eaas/test-kit/closing';
import { createDatabase, environmentOf } from '@eaas/test-kit/database';
import { newDirectory } from '@eaas/test-kit/directory';
import { newTenant, playOn } from '@eaas/test-kit/fixture';
import { eaas, type Environment, run, serve } from '@eaas/test-kit/program';
import { openPool } from '@eaas/test-kit/server';
import { expect, test } from 'vitest';
import { readCatalogue } from '../../packages/server/src/postgres/catalogue.ts';
import { tenantFunctions } from '../../packages/server/src/postgres/functions.ts';
import { stepFiles } from '../../packages/server/src/postgres/steps/index.ts';
import { folderOf, releases } from './folder.ts';
import { brokenPromises } from './promises.ts';
import { pathsIn } from './server.ts';

type Version = typeof present;
const present = { program: eaas, Client: Sdk.EaasClient };

/** The present version with one step more. */
async function nextVersion(): Promise<Version> {
  const built = dirname(eaas.at(-1) ?? '');
  const folder = await closing(`${built}-next`, (it) => rmSync(it, { recursive: true }));
  cpSync(built, folder, { recursive: true });
  const step = join(folder, '2.sql');
  writeFileSync(step, 'create table eaas.made_up (id bigint); alter table eaas.keys add made_up text');
  const sql = await closing(openPool((await createDatabase()).connection('owner'), 1), (it) => it.end());
  await sql`create schema eaas`;
  for (const file of [...stepFiles, step]) await sql.file(file);
  await sql.unsafe(tenantFunctions(await readCatalogue(sql)));
  const expected = JSON.stringify(await readCatalogue(sql));
  for (const path of readdirSync(folder).map((name) => join(folder, name))) {
    const text = readFileSync(path, 'utf8').replace('stepFiles = ["1.sql"', '$&, "2.sql"');
    writeFileSync(
      path,
      text.replace('= catalogue_default;', () => `= ${expected};`),
    );
  }
  return { ...present, program: [...eaas.slice(0, -1), join(folder, 'main.js')] };
}

/** The version of a commit: its tarballs, beside the dependencies of this checkout. */
async function versionOf(commit: string): Promise<Version> {
  const folder = await newDirectory();
  const script = `here=$PWD; git archive ${commit} | tar -x -C '${folder}'; cd '${folder}'; mkdir node_modules
    ln -s $here/node_modules/{.bin,*} node_modules; rm node_modules/@eaas; mkdir -p {.,app}/node_modules/@eaas
    ln -s $here/packages/cli/node_modules/* app/node_modules; ln -s '${folder}'/packages/* node_modules/@eaas
    npm run build --workspaces --if-present; npm pack --ignore-scripts -w packages; cd app/node_modules/@eaas
    for name in $(ls ${folder}/packages); do
      mkdir $name; tar -xzf ${folder}/eaas-$name-[0-9]*.tgz --strip-components=1 -C $name
    done`;
  const { code, stdout, stderr } = await run(['bash', '-euo', 'pipefail', '-c', script], {});
  if (code !== 0) throw new Error(`commit ${commit} could not be built: ${stdout}${stderr}`);
  const installed = join(folder, 'app/node_modules/@eaas');
  const sdk = (await import(builtScript(join(installed, 'sdk/dist/index.js')))) as typeof Sdk;
  return { program: [process.execPath, join(installed, 'cli/bin/eaas.mjs')], Client: sdk.EaasClient };
}

type Server = Awaited<ReturnType<typeof start>>;

async function start(version: Version, env: Environment) {
  const server = await closing(serve(env, version), (it) => it.stop());
  return { ...server, ...version, run: (args: readonly string[]) => run([...version.program, ...args], env) };
}

/** The members of what a server answers about what another made, and what the SDK of one opens of that of the other. */
async function answers(asked: Server, made: Server): Promise<Record<string, string[]>> {
  playOn(made);
  const tenant = await newTenant();
  const api = client(asked.baseUrl, tenant.api.token);
  const all: Record<string, string[]> = {};
  for (const route of routes) {
    const { status, body } = await call(api, route, await materialFor(tenant, route));
    if (status < 400) all[route] = pathsIn(body);
  }
  const options = { apiKey: api.token ?? '', keyId: (await tenant.newKey()).key_id };
  const value = await new made.Client({ ...options, baseUrl: asked.baseUrl }).encrypt('Zoë');
  const own = new asked.Client({ ...options, baseUrl: made.baseUrl });
  return { ...all, SDK: [await own.decrypt(value, { as: 'text' })] };
}

test.for(['this version', ...releases])(
  'the next version migrates while %s serves, answers beside it as it does, and it starts again',
  async (name, { skip }) => {
    const recorded = `git rev-parse --verify "$(cat ${folderOf(name)}/commit)^{commit}"`;
    const commit = (await run(['bash', '-c', recorded], {})).stdout.trim();
    const isRelease = name !== 'this version';
    skip(isRelease && !commit, 'its commit is not recorded yet, or the clone is shallow');
    const older = isRelease ? await versionOf(commit) : present;
    const env = environmentOf((await createDatabase()).url);
    const migrate = ({ program }: Version) => run([...program, 'migrate', '--json'], env);
    await migrate(older);
    let old = await start(older, env);
    const before = await answers(old, old);
    // The public log is off. An older version refuses what is newer than it.
    const refused = routes.filter((route) => !(route in before));
    expect(isRelease ? [] : refused).toEqual(isRelease ? [] : ['GET /v1/audit/proof']);
    const changed = async (asked: Server, made: Server) =>
      brokenPromises({ calls: before }, { calls: await answers(asked, made) }, name);

    for (const newer of isRelease ? [present, await nextVersion()] : [await nextVersion()]) {
      const count = newer === present ? '' : 1;
      const migrated = { stdout: expect.stringContaining(`"applied":${count}`) };
      expect(await Promise.all([migrate(newer), changed(old, old)])).toMatchObject([migrated, []]);
      const next = await start(newer, env);
      expect([await changed(next, old), await changed(old, next)]).toEqual([[], []]);
      await old.stop();
      expect(await changed(next, next)).toEqual([]);
      await next.stop();
      expect((await migrate(newer)).stdout).toContain('"applied":0');
      old = await start(older, env);
      expect(await changed(old, old)).toEqual([]);
    }
    expect(await old.run(['audit', 'verify'])).toMatchObject({ code: 0 });
  },
);
