import type { Socket } from 'node:net';

interface Handle {
  close(): void;
  readStop(): void;
}

/** The handle is not part of Node's public API. */
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
