import { type Caller } from '@eaas/server/internal';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Connections } from './worker.ts';
import type { Seen } from './messages.ts';

const bytes = new Uint8Array();
const token = Buffer.from('hash').toString('hex');

function callerOf(tenantId: string, tokenHash = Buffer.from('hash')): Caller {
  const credential = { tokenHash, endpoint: { permission: 'encrypt' }, origin: undefined } as const;
  return { tenantId, actor: 'actor', ipAddress: null, arrivedAt: 0, credential };
}

function opened(isKnown: boolean) {
  const seen: Seen[] = [];
  const connections = new Connections((each) => seen.push(each));
  const socket = new Socket();
  connections.add(socket, { bytes, token, isKnown });
  return { connections, socket, seen };
}

describe('Connections', () => {
  it('a worker reports the tenant of an unknown API key to the main process only once', () => {
    const { connections, socket, seen } = opened(false);
    connections.note(socket, undefined);
    connections.note(socket, callerOf('a'));
    connections.note(socket, callerOf('a'));
    expect(seen).toEqual([{ token, tenantId: 'a' }]);
  });

  it('a worker does not report the tenant of an API key if the main process already knows the tenant', () => {
    const { connections, socket, seen } = opened(true);
    connections.note(socket, callerOf('a'));
    expect(seen).toEqual([]);
  });

  it('a request with another API key does not change the tenant of the connection', () => {
    const { connections, socket, seen } = opened(false);
    connections.note(socket, callerOf('b', Buffer.from('other')));
    expect(seen).toEqual([]);
    connections.note(socket, callerOf('a'));
    expect(seen).toEqual([{ token, tenantId: 'a' }]);
    connections.leave('b');
    expect(connections.note(socket, callerOf('a'))).toBe(false);
  });

  it('if a tenant moves to another worker, its connections are closed after the next response', () => {
    const { connections, socket } = opened(true);
    expect(connections.note(socket, callerOf('a'))).toBe(false);
    connections.leave('a');
    expect(connections.note(socket, callerOf('a'))).toBe(true);
  });
});
