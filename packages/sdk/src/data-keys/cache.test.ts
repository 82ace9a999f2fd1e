import { expect, test } from 'vitest';
import { DataKeyCache } from './cache.ts';
import { type DerivedDataKey, partitionName } from './derive.ts';

const keyId = '00000000-0000-4000-8000-000000000001';

test('data keys with long names take at most 16 MiB, however few they are', async () => {
  const nameOf = (n: number) => {
    const subject = `${n}`.padStart(256, '0');
    return partitionName({ keyId, subject, wrapContext: { row: subject.repeat(15) } });
  };
  const cache = new DataKeyCache({ maxEntries: 10_000, maxAge: 300_000 });
  const values = {} as DerivedDataKey['values'];
  const derive = async () => ({ values, createdAt: Date.now() }) as DerivedDataKey;
  for (let n = 0; n < 2_000; n++)
    await cache.request(nameOf(n), undefined, derive).use(() => undefined, undefined, 1_000);
  const held = Array.from({ length: 2_000 }, (_, n) => n).filter((n) => cache.find(nameOf(n)));
  // A kilobyte for the data key, and two bytes for each character of its name.
  const most = Math.floor(16_780_000 / (1_024 + 2 * nameOf(0).length));
  expect([held.length, held[0], held.at(-1)]).toEqual([most, 2_000 - most, 1_999]);
  cache.close();
});
