import { join, resolve } from 'node:path';
import { CannotStart } from '../cannot-start.ts';
import { asTyped, type Config } from '../config.ts';
import { createDataDirectory } from '../data-directory.ts';
import { freePort } from '../http/addresses.ts';
import { serve } from '../serve.ts';
import { asWord } from '../shell-word.ts';
import {
  createApplicationApiKey,
  isApiKeyOf,
  openDevelopmentTenant,
  openSession,
} from './development-tenant.ts';
import { EnvFile } from './env-file.ts';
import { SignInCode } from './sign-in.ts';

const portsToTry = 100;

export async function dev(given: Config, envPath: string | undefined): Promise<void> {
  const envFile = envPath === undefined ? undefined : await EnvFile.read(envPath);
  const config = { ...given, port: await choosePort(given) };
  const code = new SignInCode();
  await serve(config, async (service) => {
    const { path: directory } = await createDataDirectory(config.dataDirectory);
    const { tenant, apiKey } = await openDevelopmentTenant(service, join(directory, 'dev.json'));
    const isMissing = envFile && !apiKey && !(await isApiKeyOf(service, tenant, envFile.get('EAAS_API_KEY')));
    const newApiKey = isMissing ? await createApplicationApiKey(service, tenant) : apiKey;
    return {
      signIn: (text, ipAddress) => code.exchange(text, () => openSession(service, tenant, ipAddress)),
      async announce(address, hasPages) {
        const variables = {
          EAAS_BASE_URL: address,
          ...(newApiKey !== null && { EAAS_API_KEY: newApiKey }),
          EAAS_KEY_ID: tenant.key_id,
          EAAS_INDEX_KEY: tenant.index_key,
        };
        await envFile?.set(variables);
        const lines = [
          `Eaas is ready on ${address}. Its data is in ${directory}.`,
          ...(config.port === given.port ? [] : [portTaken(given.port, config.port)]),
          '',
          ...(envFile ? written(envFile, variables) : printed(variables)),
          '',
          ...(hasPages ? [`Playground     ${config.publicUrl ?? address}/#code=${code.text}`] : []),
          `API reference  ${address}/docs`,
          `Try it         ${curl(variables, envFile)}`,
        ];
        process.stdout.write(`${lines.join('\n')}\n`);
      },
    };
  });
}

async function choosePort({ host, port, isPortSet }: Config): Promise<number> {
  if (isPortSet) return port;
  for (let candidate = port; candidate < port + portsToTry; candidate++) {
    if (await isFree(host, candidate)) return candidate;
  }
  throw new CannotStart(
    `All ports from ${port} to ${port + portsToTry - 1} are in use: set EAAS_PORT to a free port.`,
  );
}

async function isFree(host: string, port: number): Promise<boolean> {
  try {
    await freePort({ host, port });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false;
    throw error;
  }
}

function portTaken(wanted: number, port: number): string {
  return `Port ${wanted} is in use, so the server listens on port ${port}. To choose the port, set EAAS_PORT.`;
}

interface Variables {
  readonly EAAS_BASE_URL: string;
  readonly EAAS_API_KEY?: string;
  readonly EAAS_KEY_ID: string;
  readonly EAAS_INDEX_KEY: string;
}

function written({ path }: EnvFile, variables: Variables): string[] {
  return [`Wrote ${Object.keys(variables).join(', ')} to ${path}. Use: node --env-file=${path} app.mjs`];
}

function printed(variables: Variables): string[] {
  const another = asTyped('`eaas dev --env` creates another API key and writes it to .env.');
  if (!variables.EAAS_API_KEY) return [`The API key was shown at the first start. ${another}`];
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return [...lines, '', `Keep the API key now, because it is not shown again. Later, ${another}`];
}

function curl({ EAAS_BASE_URL, EAAS_API_KEY, EAAS_KEY_ID }: Variables, envFile: EnvFile | undefined): string {
  const read = envFile ? `. ${asWord(resolve(envFile.path))} && ` : '';
  const apiKey = envFile ? undefined : EAAS_API_KEY;
  const headers = `-H "Authorization: Bearer ${apiKey ?? '$EAAS_API_KEY'}" -H "Content-Type: application/json"`;
  const body = JSON.stringify({ key_id: EAAS_KEY_ID, value: 'hello' });
  return `${read}curl ${EAAS_BASE_URL}/v1/hash ${headers} -d '${body}'`;
}
