import { randomBytes } from 'node:crypto';
import type { Benchmark } from './compare.ts';
import { againstPeer, primedClient, workOf } from './fields.bench.ts';
import { awsEncryptionSdk, cloak, jose, noble, nodeCrypto } from './peers.ts';
import { compareWithTransit } from './transit.ts';

export const benchmark: Benchmark = {
  name: 'peers',
  about:
    'encryption and decryption of texts of 1 KiB, compared with other libraries. Audited calls over HTTP are compared with OpenBao Transit',
  async comparisons(defer) {
    const client = await primedClient();
    const texts = Array.from({ length: 256 }, () => randomBytes(512).toString('hex'));
    const ours = await workOf(client, texts);
    const peers = [nodeCrypto(), noble(), await cloak(), await jose(), await awsEncryptionSdk()];
    const local = [];
    for (const peer of peers) local.push(...(await againstPeer('1 KiB', ours, texts, { peer })));
    const { BAO } = process.env;
    if (BAO === undefined)
      console.log('not available: OpenBao Transit (the variable BAO does not contain the path of OpenBao)');
    return BAO === undefined ? local : [...local, ...(await compareWithTransit(BAO, defer))];
  },
};
