import { fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { requireBuiltPages } from './built-pages.ts';
import { createDatabase, environmentOf, migrated, type PostgresAddress } from './database.ts';
import { onDemand, requested } from './on-demand.ts';
import { eaas, type Environment, type OperatorAddress, serve } from './program.ts';

export interface Target {
  readonly baseUrl: string;
  readonly command: readonly string[];
  readonly env: Environment;
}

declare module 'vitest' {
  interface ProvidedContext {
    target?: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The program that `eaas` names, so that the commands of tests are known to be of it.
  const program = eaas.at(-1) ?? '';
  // The slow suite has no environment of its own, whatever the type says.
  const stretch = { TEST_STRETCH: project.config.env?.['TEST_STRETCH'] ?? '1' };
  const operator = await onDemand((undo) => startOperator(program, stretch, undo));
  Object.assign(process.env, { TEST_PROGRAM: program, TEST_OPERATOR: operator.address });
  const server = await onDemand((undo) => chooseTarget(project, stretch, undo));
  project.provide('target', server.address);
  return async () => {
    await server.close();
    await operator.close();
  };
}

async function startOperator(
  program: string,
  stretch: Environment,
  undo: (() => Promise<void>)[],
): Promise<OperatorAddress> {
  const options = { execArgv: ['--enable-source-maps'], env: { ...process.env, ...stretch } };
  const child = fork(join(dirname(program), 'operator.js'), options);
  // A command in it can have taken SIGTERM for itself.
  undo.push(async () => void child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the operator process ended')));
  const [address] = (await Promise.race([once(child, 'message'), ended])) as [OperatorAddress];
  ended.catch(() => {});
  return address;
}

async function chooseTarget(
  project: TestProject,
  stretch: Environment,
  undo: (() => Promise<void>)[],
): Promise<Target> {
  // Uses BASE_URL only if it is a URL, because Vite sets a missing BASE_URL to its own base path.
  const given = process.env['BASE_URL'];
  if (given?.startsWith('http')) {
    const command = (process.env['EAAS_CLI'] ?? 'npx --no-install @eaas/cli').split(' ');
    return { baseUrl: given.replace(/(\/v1)?\/?$/, ''), command, env: ownEnvironment() };
  }
  await requireBuiltPages();
  const postgres = requested<PostgresAddress>(project.getProvidedContext().postgres);
  const env = environmentOf((await createDatabase(migrated, postgres)).url);
  const server = await serve({ ...env, ...stretch });
  undo.push(async () => {
    await server.stop();
    const lines = server.log().split('\n');
    const errors = lines.filter((line) => /"level":"(error|fatal)"|"status":5/.test(line));
    for (const line of errors.slice(0, 20)) process.stdout.write(`The server under test wrote: ${line}\n`);
  });
  return { baseUrl: server.baseUrl, command: eaas, env };
}

function ownEnvironment(): Environment {
  const names = Object.keys(process.env).filter((name) => /^(EAAS_|DATABASE_URL$)/.test(name));
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']));
}
