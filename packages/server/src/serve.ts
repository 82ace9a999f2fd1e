import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Config } from './config.ts';
import type { ConsoleOptions } from './http/console.ts';
import type { AppOptions } from './http/server-options.ts';
import { addressOf, announce, exitSoon, prepareProcess, refusePort, untilStopped } from './listening.ts';
import { openService } from './open-service.ts';
import type { Service } from './service.ts';
import { appOptions, startServing } from './serving.ts';

export interface Development {
  readonly signIn: NonNullable<ConsoleOptions['signIn']>;
  readonly announce: (address: string, hasPages: boolean) => Promise<void>;
}

/** Checks the configuration and the port first, so that a failed start creates no data directory and no root key. */
export async function serve(
  config: Config,
  develop?: (service: Service) => Promise<Development>,
): Promise<void> {
  const report = prepareProcess();
  const options = await appOptions(config);
  const release = await reservePort(config).catch(refusePort);
  const open = await openService(config, 'serve');
  const development = await develop?.(open.service).catch(async (error: unknown) => {
    await open.close();
    throw error;
  });
  const stop = await startServing({
    config,
    open,
    report,
    app: withSignIn(options, development),
    async listen(app) {
      await release();
      await app.listen({ host: config.host, port: config.port }).catch(refusePort);
      const { port } = app.server.address() as AddressInfo;
      const address = addressOf(config, port);
      if (development) await development.announce(address, Boolean(options.console?.pages));
      else announce(address);
    },
  });
  await untilStopped();
  await stop();
  exitSoon();
}

export async function reservePort({
  host,
  port,
}: Pick<Config, 'host' | 'port'>): Promise<() => Promise<void>> {
  const server = createServer((socket) => socket.destroy());
  // The reserved port must not keep the process alive if the start fails later.
  server.listen({ host, port }).unref();
  await once(server, 'listening');
  return async () => {
    server.close();
    await once(server, 'close');
  };
}

function withSignIn(options: AppOptions, development: Development | undefined): AppOptions {
  if (!options.console || !development) return options;
  return { ...options, console: { ...options.console, signIn: development.signIn } };
}
