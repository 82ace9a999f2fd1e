import { connect, type NetConnectOpts } from 'node:net';

/** Returns whether a process accepts connections at the address, for example a port of a host or a Unix socket. */
export async function accepts(address: NetConnectOpts): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address, () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
}
