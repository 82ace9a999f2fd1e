import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

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

export async function requested<T>(address: string | undefined): Promise<T> {
  if (address === undefined) {
    throw new Error(
      'this test needs PostgreSQL or a server, but the suite `unit` has neither: rename the test file to `*.service.test.ts`',
    );
  }
  const response = await fetch(address);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as T;
}
