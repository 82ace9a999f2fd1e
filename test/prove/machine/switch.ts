import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Findings } from '../trial.ts';
import type { Cluster } from './cluster.ts';

export type Manner = 'closed' | 'silent';

export class Switch {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #target: Cluster | undefined;
  #manner: Manner = 'closed';
  #generation = 0;

  private constructor() {
    this.#server = createServer((client) => this.#accept(client));
  }

  static async open(findings: Findings, target: Cluster): Promise<Switch> {
    const opened = new Switch();
    opened.#target = target;
    opened.#server.listen(0, '127.0.0.1');
    await once(opened.#server, 'listening');
    findings.defer(() => opened.#close());
    return opened;
  }

  readonly url = (role: 'server' | 'owner'): string => {
    const address = this.#server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    return `postgres://eaas_${role}@127.0.0.1:${port}/eaas`;
  };

  cut(manner: Manner): void {
    this.#target = undefined;
    this.#manner = manner;
    this.#generation += 1;
    if (manner === 'closed') for (const socket of this.#open) socket.destroy();
  }

  lead(target: Cluster): void {
    this.#target = target;
  }

  #accept(client: Socket): void {
    this.#open.add(client);
    client.on('close', () => this.#open.delete(client)).on('error', () => client.destroy());
    const target = this.#target;
    if (!target) {
      if (this.#manner === 'closed') client.destroy();
      return;
    }
    const generation = this.#generation;
    const isServed = (): boolean => generation === this.#generation;
    const upstream = connect(join(target.socket, '.s.PGSQL.5432'));
    client.on('data', (bytes) => isServed() && upstream.write(bytes));
    upstream.on('data', (bytes) => isServed() && client.write(bytes));
    client.on('close', () => upstream.destroy());
    const end = (): void => {
      upstream.destroy();
      if (isServed() || this.#manner === 'closed') client.destroy();
    };
    upstream.on('close', end).on('error', end);
  }

  #close(): void {
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
  }
}
