import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Starts a shared resource of the test workers when a worker first requests it. `start` can add functions to the list
 * `undo`, which run after the tests.
 */
export async function onDemand<T>(start: (undo: (() => Promise<void>)[]) => Promise<T>) {
  const undo: (() => Promise<void>)[] = [];
  let started: Promise<T> | undefined;
  const door = createServer((_, response) => {
    (started ??= start(undo)).then(
      (resource) => response.end(JSON.stringify(resource)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(door, 'listening');
  return {
    address: `http://127.0.0.1:${(door.address() as AddressInfo).port}`,
    close: async () => {
      door.close();
      door.closeAllConnections();
      await started?.catch(() => undefined);
      for (const step of undo.toReversed()) await step();
    },
  };
}

/** Requests a resource by its socket path. Throws if the suite of the test does not provide the resource. */
export async function requested<T>(address: string | undefined): Promise<T> {
  if (address === undefined) {
    throw new Error(
      'this test needs PostgreSQL or a server, which the suite `unit` does not have: rename the test file to `*.service.test.ts`',
    );
  }
  const response = await fetch(address);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as T;
}
