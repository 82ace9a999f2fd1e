// `eaas dev`: serves for development and prints the variables of an app, or describes the one that already serves the folder.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pid } from 'node:process';
import { serve } from '@eaas/server';
import {
  asTyped,
  asWord,
  CannotStart,
  freePort,
  hostOf,
  ifExists,
  openService,
  type Plugin,
  replaceFile,
  type ServeOptions,
  type Service,
} from '@eaas/server/internal';
import { defaultDataDirectory, developmentFileIn, findDataDirectory } from './data-directory.ts';
import {
  createApplicationApiKey,
  type DevelopmentTenant,
  isApiKeyOf,
  openDevelopmentTenant,
  openSession,
} from './development-tenant.ts';
import { commitWarning, EnvFile } from './env-file.ts';
import { signal } from './launch.ts';
import { SignInCodes } from './sign-in.ts';

/** What `eaas dev` needs beyond a server. */
export interface DevOptions extends ServeOptions {
  readonly dataDirectory: string | null;
  /** Whether the user chose the port. */
  readonly isPortSet: boolean;
}

/** How many ports after the default one are tried. */
const morePorts = 99;

/** Serves for development, or describes the `eaas dev` that already serves the data directory. */
export async function dev(options: DevOptions, envPath: string | undefined): Promise<void> {
  const envFile = envPath === undefined ? undefined : await EnvFile.read(envPath);
  const directory = resolve(options.dataDirectory ?? defaultDataDirectory);
  const running = await findDevServer(directory);
  if (running) return describe(running, options, directory, envFile);
  const codes = new SignInCodes(directory);
  // A terminal that is closed stops PostgreSQL too.
  process.once('SIGHUP', () => process.emit('SIGINT'));
  const { port, isPortSet } = options;
  let opened: Promise<Application> | undefined;
  const open = (service: Service): Promise<Application> => {
    opened ??= openApplication(service, directory, envFile);
    return opened;
  };
  const development: Plugin = {
    name: 'development',
    signIn: (service) => async (code, ipAddress) => {
      const { tenant } = await open(service);
      return codes.exchange(code, () => openSession(service, tenant, ipAddress));
    },
    async announce(service, address, hasPages) {
      const application = await open(service);
      const page = `${options.publicUrl ?? address}${options.playground ? '/' : '/console/'}`;
      const server = { pid, address, sign_in_page: hasPages ? page : null };
      await replaceFile(devServerFile(directory), `${JSON.stringify(server)}\n`);
      const lines = [`Eaas is ready on ${address}. Its data is in ${directory}.`];
      if (!isPortSet && portOf(address) !== port) {
        lines.push(
          `Port ${port} is in use, so the server listens on port ${portOf(address)}. To choose the port, set EAAS_PORT.`,
        );
      }
      await print(lines, server, application, codes);
    },
  };
  const plugins = [...options.plugins, development];
  await serve({ ...options, ...(!isPortSet && { lastPort: port + morePorts }), plugins });
}

async function describe(
  running: DevServer,
  options: DevOptions,
  directory: string,
  envFile: EnvFile | undefined,
): Promise<void> {
  const { service, close } = await openService(options, 'command');
  try {
    const application = await openApplication(service, directory, envFile);
    const head = `Eaas already runs on ${running.address} (process ${running.pid}). Its data is in ${directory}.`;
    await print([head], running, application, new SignInCodes(directory));
  } finally {
    await close();
  }
}

/** Prints a new sign-in URL of the `eaas dev` that serves the data directory. */
export async function printSignIn(options: DevOptions): Promise<void> {
  const { path } = await findDataDirectory(options.dataDirectory);
  const page = (await findDevServer(path))?.sign_in_page;
  if (page === undefined || page === null) {
    throw new CannotStart(
      `No \`eaas dev\` serves the console with the data directory ${path}: start it with \`eaas dev\`.`,
    );
  }
  process.stdout.write(`${page}#code=${await new SignInCodes(path).create()}\n`);
}

type Application = Awaited<ReturnType<typeof openApplication>>;

/** Opens the tenant. `apiKey` is the new API key, if the application had none. */
async function openApplication(service: Service, directory: string, envFile: EnvFile | undefined) {
  const { tenant, apiKey } = await openDevelopmentTenant(service, developmentFileIn(directory));
  const isMissing = envFile && !apiKey && !(await isApiKeyOf(service, tenant, envFile.get('EAAS_API_KEY')));
  return { tenant, apiKey: isMissing ? await createApplicationApiKey(service, tenant) : apiKey, envFile };
}

async function print(
  head: readonly string[],
  { address, sign_in_page: page }: DevServer,
  { tenant, apiKey, envFile }: Application,
  codes: SignInCodes,
): Promise<void> {
  const variables: Record<string, string> = {
    EAAS_BASE_URL: address,
    ...(apiKey !== null && { EAAS_API_KEY: apiKey }),
    EAAS_KEY_ID: tenant.key_id,
    EAAS_INDEX_KEY: tenant.index_key,
  };
  if (envFile) {
    await envFile.set(variables);
    const warning = await commitWarning(envFile.path);
    if (warning !== undefined) process.stderr.write(`Warning: ${warning}\n`);
  }
  const name = page?.endsWith('/console/') ? 'Console   ' : 'Playground';
  const lines = [
    ...head,
    '',
    ...(envFile ? [written(envFile.path, variables)] : printed(variables)),
    '',
    ...(page === null ? [] : [`${name}     ${page}#code=${await codes.create()}`]),
    `API reference  ${address}/docs`,
    `Try it         ${curl(address, tenant, apiKey, envFile)}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

const written = (path: string, variables: object): string =>
  `Wrote ${Object.keys(variables).join(', ')} to ${path}. Use: node --env-file=${path} app.mjs`;

function printed(variables: Readonly<Record<string, string>>): string[] {
  const another = asTyped('`eaas dev --env` creates another API key and writes it to .env.');
  if (!variables['EAAS_API_KEY']) return [`The API key was shown at the first start. ${another}`];
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return [...lines, '', `Keep the API key now, because it is not shown again. Later, ${another}`];
}

function curl(address: string, tenant: DevelopmentTenant, apiKey: string | null, envFile?: EnvFile): string {
  const read = envFile ? `. ${asWord(resolve(envFile.path))} && ` : '';
  const token = envFile ? null : apiKey;
  const headers = `-H "Authorization: Bearer ${token ?? '$EAAS_API_KEY'}" -H "Content-Type: application/json"`;
  // The service wraps a data key, as in each encryption, and does not see a value.
  const body = String.raw`"{\"dek\":\"$(head -c 32 /dev/urandom | base64)\"}"`;
  return `${read}curl ${address}/v1/keys/${tenant.key_id}/wrap ${headers} -d ${body}`;
}

/** Where an `eaas dev` listens. A file of the data directory has it, so that another `eaas dev` can print the same. */
interface DevServer {
  readonly pid: number;
  readonly address: string;
  /** The page that takes the sign-in code, or null if the server has no such page. */
  readonly sign_in_page: string | null;
}

/** Returns the `eaas dev` that serves the data directory now. */
async function findDevServer(directory: string): Promise<DevServer | undefined> {
  const text = await ifExists(readFile(devServerFile(directory), 'utf8'));
  if (text === undefined) return undefined;
  const server = JSON.parse(text) as DevServer;
  const address = { host: hostOf(new URL(server.address)), port: portOf(server.address) };
  const isTaken = await freePort(address).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'EADDRINUSE',
  );
  return isTaken && signal(server.pid) ? server : undefined;
}

/** `URL` would leave out the port 80. */
const portOf = (address: string): number => Number(address.slice(address.lastIndexOf(':') + 1));

const devServerFile = (directory: string): string => join(directory, 'dev-server.json');
