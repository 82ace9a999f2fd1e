import { randomBytes } from 'node:crypto';
import type { Config } from '../config.ts';
import {
  addressOf,
  announce,
  exitSoon,
  prepareProcess,
  readTls,
  refuseAddress,
  untilStopped,
} from '../listening.ts';
import { openService } from '../open-service.ts';
import { type Deliver, openIntake } from './intake.ts';
import { type Log, logTo } from './log.ts';
import { Workers } from './workers.ts';

export async function serveWithWorkers(config: Config): Promise<void> {
  prepareProcess();
  const { host, port, tlsFiles } = config;
  if (tlsFiles) await readTls(tlsFiles);
  const log = logTo(process.stdout.fd, config.logLevel);
  // Until the workers are ready, new connections are closed.
  let deliver: Deliver = (socket) => socket.destroy();
  const intake = await openIntake({ host, port, isEncrypted: tlsFiles !== null }, (socket, arrival) =>
    deliver(socket, arrival),
  ).catch(refuseAddress(config));
  const started = await startWorkers(config, intake.port, log).catch(async (error: unknown) => {
    await intake.close();
    throw error;
  });
  deliver = (socket, arrival) => started.workers.deliver(socket, arrival);
  announce(addressOf(config, intake.port));
  await untilStopped();
  await intake.close();
  await started.stop();
  exitSoon();
}

async function startWorkers(config: Config, port: number, log: Log) {
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
