import { afterEach, expect, test, vi } from 'vitest';
import { macUnder as inNode } from './engines.node.ts';
import { macUnder as onTheWeb } from './engines.ts';

afterEach(() => vi.unstubAllGlobals());

const key = Uint8Array.from({ length: 32 }, (_, at) => at + 1);

test.each(['', 'x', 'a longer message '.repeat(20)])(
  'all platforms compute the same HMAC of %j',
  async (text) => {
    const message = new TextEncoder().encode(text);
    const macs = [await (await inNode(key))(message), await (await onTheWeb(key))(message)];
    vi.stubGlobal('crypto', { subtle: undefined });
    macs.push(await (await onTheWeb(key))(message));
    expect(macs[0]).toHaveLength(32);
    expect(macs[1]).toEqual(macs[0]);
    expect(macs[2]).toEqual(macs[0]);
  },
);

test('the key can be wiped after the call', async () => {
  const copy = key.slice();
  const mac = await inNode(copy);
  copy.fill(0);
  expect(await mac(new Uint8Array(3))).toEqual(await (await inNode(key))(new Uint8Array(3)));
});
