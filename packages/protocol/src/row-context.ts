// Contexts of many rows, for fields. Pages that encrypt single values do not load them.
import { type Context, encodeContext, FixedContext, writeText } from './context.ts';
import { prefixLength } from './format-sizes.ts';

/**
 * Returns contexts that differ in one value, as those of a column do in the id of the row. What they share is checked and
 * encoded once. Throws InputError if it is invalid.
 */
export function contextsWith(shared: Context, name: string): (value: string) => Context {
  const none = encodeContext({ ...shared, [name]: '' });
  const long = encodeContext({ ...shared, [name]: 'x'.repeat(64) });
  // The two differ first in the last byte of the value's length.
  const at = none.findIndex((byte, index) => byte !== long[index]) - 3;
  const frame: Frame = { shared, name, front: none.subarray(0, at), back: none.subarray(at + 4) };
  // Such a value is always valid.
  return (value) =>
    /^[ -~]{1,64}$/.test(value) ? (new RowContext(frame, value) as never) : { ...shared, [name]: value };
}

interface Frame {
  readonly shared: Context;
  readonly name: string;
  /** The encoding before and after the value. */
  readonly front: Uint8Array;
  readonly back: Uint8Array;
}

class RowContext extends FixedContext {
  readonly #frame: Frame;
  readonly #value: string;

  constructor(frame: Frame, value: string) {
    super();
    Object.assign(this, frame.shared);
    (this as Record<string, unknown>)[frame.name] = value;
    this.#frame = frame;
    this.#value = value;
  }

  write(room: Uint8Array): number {
    const { front, back } = this.#frame;
    room.set(front, prefixLength);
    const end = writeText(prefixLength + front.length, this.#value);
    room.set(back, end);
    return end + back.length;
  }
}
