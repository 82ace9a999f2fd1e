// What Node does not offer for a socket on its way to another process. All of it is internal to Node.
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

interface Handle {
  close(): void;
  readStop(): void;
}

/**
 * Returns the handle that Node uses internally for the socket. The property `_handle` is not part of Node's public API.
 */
function handleOf(socket: Socket): Handle | null | undefined {
  return (socket as { _handle?: Handle | null })._handle;
}

/** `pause` does not stop Node at once. Bytes that Node still reads are lost when another process gets the socket. */
export function stopReading(socket: Socket): void {
  handleOf(socket)?.readStop();
  socket.pause();
}

/** If a worker ends before it receives a sent socket, Node does not close this socket. */
export function closerOf(socket: Socket): () => void {
  const handle = handleOf(socket);
  return () => {
    socket.destroy();
    handle?.close();
  };
}

interface Sender {
  _pendingMessage?: { readonly handle: Handle } | null;
}

/**
 * Closes a socket that a worker cannot receive because the worker has too many open files. Without this function, Node
 * sends the socket again. If the worker then receives the socket, Node gets a second acknowledgement, and a failed
 * assertion ends the main process. The event `internalMessage` and the property `_pendingMessage` are not part of
 * Node's public API.
 */
export function refuseLostSockets(child: ChildProcess, lost: () => void): void {
  child.prependListener('internalMessage', ({ cmd }: { cmd: string }) => {
    if (cmd !== 'NODE_HANDLE_NACK') return;
    const sender = child as Sender;
    sender._pendingMessage?.handle.close();
    sender._pendingMessage = null;
    lost();
  });
}
