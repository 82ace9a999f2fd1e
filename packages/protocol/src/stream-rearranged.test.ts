import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { engines } from '../test/engines.ts';
import { keyService } from '../test/key-service.ts';
import { sendThrough } from '@eaas/test-kit/streams';
import { runs } from '@eaas/test-kit/cases';
import { nodeEngine } from './engines/node.ts';
import { DecryptionError } from './errors.ts';
import { openStream, sealStream } from './stream.ts';

const keyId = '00000000-0000-4000-8000-000000000002';
const { wrap, unwrap } = keyService(keyId);
const chunk = 65_536;
const headLength = 168;
const content = Uint8Array.from({ length: 3 * chunk + 200 }, (_, i) => i * 7 + (i >> 8));
const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.from(a).equals(b);

function partsOf(sealed: Uint8Array): { head: Uint8Array; chunks: Uint8Array[] } {
  const chunks: Uint8Array[] = [];
  for (let at = headLength; at < sealed.length; at += chunk + 16) {
    chunks.push(sealed.subarray(at, at + chunk + 16));
  }
  return { head: sealed.subarray(0, headLength), chunks };
}

const seal = async () =>
  partsOf((await sendThrough(sealStream(wrap, { engine: nodeEngine }), [content])).content);
const ours = await seal();
const theirs = await seal();
const all = [...ours.chunks, ...theirs.chunks];

test('a stream decrypts completely only if it contains exactly its own chunks in their original order', async () => {
  const inOrder = [0, 1, 2, 3];
  const anyOrder = fc
    .tuple(fc.nat(4), fc.array(fc.nat(all.length - 1), { maxLength: 6 }))
    .map(([right, rest]) => inOrder.slice(0, right).concat(rest));
  await fc.assert(
    fc.asyncProperty(anyOrder, fc.constantFrom(...engines.slice(1)), async (order, engine) => {
      const arranged = Buffer.concat([ours.head, ...order.map((index) => all[index] ?? content)]);
      const { content: out, error } = await sendThrough(openStream(unwrap, { keyId, engine }), [arranged]);
      const isWhole = order.join() === inOrder.join();
      expect(error instanceof DecryptionError).toBe(!isWhole);
      const right = order.findIndex((index, at) => index !== at);
      const most = (right === -1 ? order.length : right) * chunk;
      expect(same(out, content.subarray(0, out.length))).toBe(true);
      expect(out.length).toBeLessThanOrEqual(most);
      expect(!isWhole || out.length === content.length).toBe(true);
    }),
    {
      numRuns: runs(200),
      examples: [
        [inOrder, nodeEngine],
        [[0, 1, 2, 3, 3], nodeEngine],
        [[], nodeEngine],
      ],
    },
  );
});
