import { nodeEngine } from '@eaas/protocol/node';
import { openStream, sealStream } from '@eaas/protocol/stream';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';

const [engineName, pieceLength, total] = process.argv.slice(2);
const engine = engineName === 'node' ? nodeEngine : webCryptoEngine;
const keyId = '00000000-0000-4000-8000-000000000002';
const piece = new Uint8Array(Number(pieceLength));
let kept = new Uint8Array(0);
let left = Number(total);
let opened = 0;
let most = 0;

const zeros = new ReadableStream(
  {
    pull(controller) {
      if (left === 0) return controller.close();
      const bytes = piece.subarray(0, Math.min(left, piece.length));
      left -= bytes.length;
      controller.enqueue(bytes);
    },
  },
  { highWaterMark: 0 },
);
const sealing = sealStream(
  (dek) => {
    kept = dek.slice();
    return { keyId, keyVersion: 1, wrappedKey: new Uint8Array(78) };
  },
  { engine },
);
const opening = openStream(() => kept.slice(), { keyId, engine });
let chunks = 0;
await zeros
  .pipeThrough(sealing)
  .pipeThrough(opening)
  .pipeTo(
    new WritableStream({
      async write(bytes) {
        opened += bytes.length;
        if (++chunks % 256 > 0) return;
        most = Math.max(most, await held());
      },
    }),
  );
/**
 * Returns the smallest of four measured sizes of the used memory. On a busy machine, one turn of the event loop is too
 * short to free all unused memory.
 */
async function held() {
  let least = Infinity;
  for (let turn = 0; turn < 4; turn++) {
    globalThis.gc();
    await new Promise(setImmediate);
    const { arrayBuffers, heapUsed } = process.memoryUsage();
    least = Math.min(least, arrayBuffers + heapUsed);
  }
  return least;
}
process.stdout.write(JSON.stringify({ opened, most }));
