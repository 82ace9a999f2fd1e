import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A resource that all workers of a run share. It starts when the first test file asks for it. */
export interface OnDemand<T> {
  /** The socket path to pass to `requested`. */
  readonly address: string;
  /** Returns the resource. Starts it at the first call. */
  get(): Promise<T>;
  close(): Promise<void>;
}

/** Listens for requests of the workers. `start` adds functions to the list that run after the tests. */
export async function onDemand<T>(
  start: (undo: (() => Promise<void>)[]) => Promise<T>,
): Promise<OnDemand<T>> {
  const undo: (() => Promise<void>)[] = [];
  let started: Promise<T> | undefined;
  const get = (): Promise<T> => (started ??= start(undo));
  const door = createServer((_, response) => {
    get().then(
      (resource) => response.end(JSON.stringify(resource)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(door, 'listening');
  return {
    address: `http://127.0.0.1:${(door.address() as AddressInfo).port}`,
    get,
    close: async () => {
      door.close();
      door.closeAllConnections();
      await started?.catch(() => undefined);
      for (const step of undo.toReversed()) await step();
    },
  };
}

/** Requests a resource by its socket path. Throws in a suite that does not have the resource. */
export async function requested<T>(address: string | undefined): Promise<T> {
  if (address === undefined) {
    throw new Error(
      'this test needs PostgreSQL or a server, which the suite `unit` does not have: name its file `*.service.test.ts`',
    );
  }
  const response = await fetch(address);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as T;
}
