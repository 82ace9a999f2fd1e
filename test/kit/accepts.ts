import { connect, type NetConnectOpts } from 'node:net';

export async function accepts(address: NetConnectOpts): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address, () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
}
