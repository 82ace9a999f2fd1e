import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestBase } from './place.ts';

/** Stands between a server and its database, and loses or delays what it is told to. */
export interface LossyProxy {
  /** A URL as DATABASE_URL takes it. */
  readonly url: TestBase['url'];
  /** All that the database says is lost, and then the connection, from the next message on that holds this text. */
  loseFrom(text: string): void;
  /** The same, from the message on that follows the one that holds this text. */
  loseAfter(text: string): void;
  /** What the database says from the next message on that holds this text comes so many milliseconds late. */
  delayFrom(text: string, milliseconds: number): void;
  /** From now on nothing more passes over the connections that are open, and nobody is told. */
  forsake(): void;
  /** How often something was lost. */
  losses(): number;
  close(): Promise<void>;
}

/** For how many milliseconds the database goes on speaking into the void. */
const silence = 200;

export async function lossyProxy(database: TestBase): Promise<LossyProxy> {
  const directory = await mkdtemp(join(tmpdir(), 'eaas-test-'));
  const { host, port } = database.connection('server');
  const name = `.s.PGSQL.${port}`;
  const open = new Set<Socket>();
  let wanted: { text: string; after: boolean } | undefined;
  let delayed: { text: string; milliseconds: number } | undefined;
  let losses = 0;
  let generation = 0;

  const server = createServer((client) => {
    const upstream = connect(join(host, name));
    const born = generation;
    let mute = false;
    let delay: Promise<void> | undefined;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
      open.delete(client);
    };
    for (const socket of [client, upstream]) socket.on('close', end).on('error', end);
    open.add(client);
    let met = false;
    client.on('data', (chunk) => {
      const found = wanted !== undefined && chunk.includes(wanted.text);
      if (!mute && wanted && (met || (found && !wanted.after))) {
        [mute, wanted] = [true, undefined];
        losses++;
        setTimeout(end, silence);
      }
      met ||= found;
      if (delayed && chunk.includes(delayed.text)) {
        delay = sleep(delayed.milliseconds);
        delayed = undefined;
      }
      if (born === generation) upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (mute || born !== generation) return;
      if (delay) void delay.then(() => client.write(chunk));
      else client.write(chunk);
    });
  }).listen(join(directory, name));
  await once(server, 'listening');

  return {
    url: (role) => database.url(role).replace(encodeURIComponent(host), encodeURIComponent(directory)),
    loseFrom: (text) => (wanted = { text, after: false }),
    loseAfter: (text) => (wanted = { text, after: true }),
    delayFrom: (text, milliseconds) => (delayed = { text, milliseconds }),
    forsake: () => (generation += 1),
    losses: () => losses,
    async close() {
      server.close();
      for (const socket of open) socket.destroy();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
