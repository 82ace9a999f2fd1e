import { attempt } from '@eaas/protocol/internal';
import { createCipheriv } from 'node:crypto';
import { expect, test } from 'vitest';
import * as inNode from './platform.node.ts';
import * as elsewhere from './platform.ts';

const key = new Uint8Array(32).fill(7);
const iv = new Uint8Array(16).fill(9);

test.each([
  ['cbc', 16],
  ['ctr', 16],
  ['gcm', 16],
  ['gcm', 12],
] as const)(
  'AES in the mode %s, with a tag of %i bytes, opens the same in Node and elsewhere',
  (mode, tagLength) => {
    for (const text of ['', 'a text', 'x'.repeat(1_000)]) {
      const cipher = createCipheriv(`aes-256-${mode}` as 'aes-256-gcm', key, iv, {
        authTagLength: tagLength,
      });
      const parts = [cipher.update(text), cipher.final(), ...(mode === 'gcm' ? [cipher.getAuthTag()] : [])];
      const sealed = new Uint8Array(Buffer.concat(parts));
      const altered = sealed.map((byte, at) => (at === sealed.length - 1 ? byte ^ 1 : byte));
      const [fast, portable] = [inNode, elsewhere].map(({ openAes }) =>
        [sealed, altered].map((given) => attempt(() => openAes(mode, key, iv, given, tagLength))),
      );
      expect(fast).toEqual(portable);
      expect(fast?.[0]).toEqual(new TextEncoder().encode(text));
      expect(fast?.[0]).not.toBeInstanceOf(Buffer);
    }
  },
);
