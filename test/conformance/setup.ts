import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { createOwnedDatabase, ROLES } from '../../packages/server/src/embedded/cluster.ts';
import { eaas, type Environment, run, serve } from './program.ts';

/** Where the server under test is, and how its operator's command line is called. */
export interface Target {
  readonly baseUrl: string;
  readonly command: readonly string[];
  readonly env: Environment;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the run's Target; the first to ask has the server started. */
    target: string;
  }
}

/** One server for the whole run, started when the first test file asks for it: most runs of a few files never do. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const ends: (() => Promise<void>)[] = [];
  let started: Promise<Target> | undefined;
  const door = createServer((_, response) => {
    started ??= chooseTarget(project, ends);
    started.then(
      (target) => response.end(JSON.stringify(target)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(door, 'listening');
  project.provide('target', `http://127.0.0.1:${(door.address() as AddressInfo).port}`);
  return async () => {
    door.close();
    door.closeAllConnections();
    for (const end of ends) await end();
  };
}

async function chooseTarget(project: TestProject, ends: (() => Promise<void>)[]): Promise<Target> {
  // Vite names its own base path by the same variable, where nobody else has set it.
  const given = process.env['BASE_URL'];
  if (given?.startsWith('http')) {
    const command = (process.env['EAAS_CLI'] ?? 'npx eaas').split(' ');
    return { baseUrl: given.replace(/(\/v1)?\/?$/, ''), command, env: ownEnvironment() };
  }
  const { host, port } = project.getProvidedContext().postgres;
  const env = await newDatabase(host, port);
  const migrated = await run([...eaas, 'migrate'], env);
  if (migrated.code !== 0) throw new Error(`\`eaas migrate\` failed:\n${migrated.stdout}${migrated.stderr}`);
  const server = await serve(env);
  ends.push(async () => {
    await server.stop();
    const errors = server
      .log()
      .split('\n')
      .filter((line) => /"level":"(error|fatal)"|"status":5/.test(line));
    for (const line of errors.slice(0, 20)) process.stdout.write(`The server under test wrote: ${line}\n`);
  });
  return { baseUrl: server.baseUrl, command: eaas, env };
}

/** With BASE_URL the command line reaches the same database by our own environment. */
function ownEnvironment(): Environment {
  const names = Object.keys(process.env).filter((name) => /^(EAAS_|DATABASE_URL$)/.test(name));
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']));
}

async function newDatabase(host: string, port: number): Promise<Environment> {
  const name = `conformance_${randomBytes(6).toString('hex')}`;
  const sql = postgres({
    host,
    port,
    database: 'postgres',
    username: 'postgres',
    max: 1,
    onnotice: () => {},
  });
  await createOwnedDatabase(sql, name);
  await sql.end();
  const url = (role: string): string => `postgres://${role}@${encodeURIComponent(host)}:${port}/${name}`;
  return {
    DATABASE_URL: url(ROLES.server),
    EAAS_MIGRATE_DATABASE_URL: url(ROLES.owner),
    EAAS_ROOT_KEY: randomBytes(32).toString('base64'),
  };
}
