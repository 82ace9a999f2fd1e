import { decryptStream, encryptBlob, encryptStream, openFile } from '@eaas/sdk/stream';
import type { Cases } from '@eaas/test-kit/runtimes/case';
import { refused, same } from './expect.ts';
import { gathered, through } from './streams.ts';

const context = { table: 'scans', row: '4711' };
const content = Uint8Array.from({ length: 200_000 }, (_, at) => at * 7 + (at >> 8));

export const streamCases: Cases = {
  'a stream decrypts to its content, and a truncated stream is refused': async ({ connect, keyId }) => {
    const client = connect();
    const sealed = await through(encryptStream(client, { context }), content, 33_333);
    const open = () => decryptStream(client, { keyId, context });
    same(await through(open(), sealed, 44_444), content, 'the stream');
    await refused(() => through(open(), sealed.slice(0, -1)), 'decryption');
  },
  'a file is encrypted as a stream, and any part of it decrypts': async ({ connect, keyId }) => {
    const client = connect();
    const { stream, size } = await encryptBlob(client, new Blob([content]), { context });
    const sealed = await gathered(stream);
    same(sealed.length, size, 'the size');
    const file = await openFile(client, new Blob([sealed as BlobPart]), { keyId, context });
    same(file.size, content.length, 'the size of the plaintext');
    same(await file.read({ start: 65_000, end: 140_000 }), content.slice(65_000, 140_000), 'the part');
    file.close();
  },
};
