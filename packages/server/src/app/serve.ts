import { freePort, hostsOf } from '../http/addresses.ts';
import type { ConsoleOptions } from '../http/console.ts';
import { listenOn } from '../http/listen.ts';
import type { AppOptions } from '../http/server-options.ts';
import { appOptions, startAppAndJobs } from './app-and-jobs.ts';
import { addressOf, announce, refuseAddress } from './listen-address.ts';
import { openService } from './open-service.ts';
import type { ServeOptions } from './options.ts';
import { exitSoon, prepareProcess, untilStopped } from './server-process.ts';
import type { Service } from './service.ts';

export interface Development {
  readonly signIn: NonNullable<ConsoleOptions['signIn']>;
  readonly announce: (address: string, hasPages: boolean) => Promise<void>;
}

/** Checks the configuration and the port first, so that a failed start creates no data directory and no root key. */
export async function serve(
  config: ServeOptions,
  develop?: (service: Service) => Promise<Development>,
): Promise<void> {
  const report = prepareProcess();
  const options = await appOptions(config);
  await freePort(config).catch(refuseAddress(config));
  const open = await openService(config, 'serve');
  const development = await develop?.(open.service).catch(async (error: unknown) => {
    await open.close();
    throw error;
  });
  const stop = await startAppAndJobs({
    config,
    open,
    report,
    app: withSignIn(options, development),
    async listen(app) {
      const hosts = await hostsOf(config.host);
      const port = await listenOn(app, hosts, config.port).catch(refuseAddress(config));
      const address = addressOf(config, port);
      if (development) await development.announce(address, Boolean(options.console?.pages));
      else announce(address);
    },
  });
  await untilStopped();
  await stop();
  exitSoon();
}

function withSignIn(options: AppOptions, development: Development | undefined): AppOptions {
  if (!options.console || !development) return options;
  return { ...options, console: { ...options.console, signIn: development.signIn } };
}
