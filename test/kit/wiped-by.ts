import { vi } from 'vitest';

const prototypes: readonly Uint8Array[] = [
  Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array,
  Buffer.prototype,
];

/** Returns a copy of each byte array that `work` overwrites with zeros. */
export async function wipedBy(work: () => unknown): Promise<Buffer[]> {
  const wiped: Buffer[] = [];
  const spies = prototypes.map((prototype) => {
    const fill = Reflect.get(prototype, 'fill');
    return vi.spyOn(prototype, 'fill').mockImplementation(function (this: Uint8Array, ...given) {
      if (given[0] === 0) wiped.push(Buffer.from(this));
      return Reflect.apply(fill, this, given);
    });
  });
  try {
    await work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return wiped;
}
