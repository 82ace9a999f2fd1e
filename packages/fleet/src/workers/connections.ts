import type { Socket } from 'node:net';
import type { Caller } from '@eaas/server/internal';
import type { Arrived, Seen } from './messages.ts';

interface Connection {
  readonly token: string;
  readonly isKnown: boolean;
  tenantId?: string;
  leaves: boolean;
}

export class Connections {
  readonly #bySocket = new Map<Socket, Connection>();
  readonly #report: (seen: Seen) => void;

  constructor(report: (seen: Seen) => void) {
    this.#report = report;
  }

  add(socket: Socket, { token, isKnown }: Arrived): void {
    if (token === undefined) return;
    this.#bySocket.set(socket, { token, isKnown, leaves: false });
    socket.once('close', () => this.#bySocket.delete(socket));
  }

  leave(tenantId: string): void {
    for (const connection of this.#bySocket.values()) {
      if (connection.tenantId === tenantId) connection.leaves = true;
    }
  }

  /**
   * A proxy can send requests of several tenants on one connection. The connection belongs to the tenant of its first
   * request.
   */
  note(socket: Socket, caller: Caller | undefined): boolean {
    const connection = this.#bySocket.get(socket);
    if (!connection) return false;
    if (connection.tenantId === undefined && caller?.credential) {
      const { token, isKnown } = connection;
      if (Buffer.from(caller.credential.tokenHash).toString('hex') !== token) return false;
      const { tenantId } = caller;
      connection.tenantId = tenantId;
      if (!isKnown) this.#report({ token, tenantId });
    }
    return connection.leaves;
  }
}
