import { randomBytes } from 'node:crypto';
import {
  addressOf,
  announce,
  exitSoon,
  freePort,
  openService,
  prepareProcess,
  readTls,
  refuseAddress,
  type ServeOptions,
  untilStopped,
} from '@eaas/server/internal';
import { type Deliver, openAcceptor } from './acceptor.ts';
import { type Log, logTo } from './log.ts';
import { Workers } from './workers.ts';

type WorkersOptions = ServeOptions & { readonly workers: number };

/** Serves with several worker processes until the process gets SIGTERM or SIGINT. */
export async function serveWithWorkers(config: WorkersOptions): Promise<void> {
  prepareProcess();
  const { host, tlsFiles } = config;
  if (tlsFiles) await readTls(tlsFiles);
  const log = logTo(process.stdout.fd, config.logLevel);
  const port = await freePort(config).catch(refuseAddress(config));
  const { workers, stop } = await startWorkers(config, port, log);
  const deliver: Deliver = (socket, arrival) => workers.deliver(socket, arrival);
  const acceptor = await openAcceptor({ host, port, isEncrypted: tlsFiles !== null }, deliver).catch(
    async (error: unknown) => {
      await stop();
      return refuseAddress(config)(error);
    },
  );
  announce(addressOf(config, port));
  await untilStopped();
  await acceptor.close();
  await stop();
  exitSoon();
}

async function startWorkers(config: WorkersOptions, port: number, log: Log) {
  const { service, database, warnings, closeConnections } = await openService(config, 'serve');
  try {
    const { connection } = database;
    const rootKeys = service.tenants.roots.map(({ key }) => key.export());
    await closeConnections();
    for (const warning of warnings) log('warn', warning);
    const ticketKeys = randomBytes(48);
    const workers = new Workers({ workers: config.workers, port, connection, rootKeys, ticketKeys }, log);
    await workers.start();
    const stop = async (): Promise<void> => {
      await workers.stop();
      await database.close();
    };
    return { workers, stop };
  } catch (error) {
    await database.close();
    throw error;
  }
}
