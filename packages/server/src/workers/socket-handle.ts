import type { Socket } from 'node:net';

interface Handle {
  close(): void;
  readStop(): void;
}

/** Returns Node's handle of a socket. The handle is not part of the public API of Node. */
function handleOf(socket: Socket): Handle | null | undefined {
  return (socket as { _handle?: Handle | null })._handle;
}

/** With `pause` alone, Node could read further bytes, which are lost when another process gets the socket. */
export function stopReading(socket: Socket): void {
  handleOf(socket)?.readStop();
  socket.pause();
}

/** Node does not close a sent socket if the worker ends before it has received the socket. */
export function closerOf(socket: Socket): () => void {
  const handle = handleOf(socket);
  return () => {
    socket.destroy();
    handle?.close();
  };
}
