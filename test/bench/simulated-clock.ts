interface Event {
  readonly time: number;
  readonly end: () => void;
}

export function clockOf() {
  const heap: Event[] = [];
  let time = 0;
  const isEarlier = (a: number, b: number): boolean =>
    (heap[a]?.time ?? Infinity) < (heap[b]?.time ?? Infinity);
  const swap = (a: number, b: number): void => {
    const [one, other] = [heap[a], heap[b]];
    if (one && other) [heap[a], heap[b]] = [other, one];
  };
  const next = (): Event | undefined => {
    const first = heap[0];
    const last = heap.pop();
    if (first && last && heap.length > 0) {
      heap[0] = last;
      for (let nth = 0; ;) {
        const child = isEarlier(2 * nth + 2, 2 * nth + 1) ? 2 * nth + 2 : 2 * nth + 1;
        if (!isEarlier(child, nth)) break;
        swap(child, nth);
        nth = child;
      }
    }
    return first;
  };
  return {
    now: () => time,
    at: (delay: number, then: () => void): void => {
      heap.push({ time: time + delay, end: then });
      for (let nth = heap.length - 1; nth > 0;) {
        const parent = (nth - 1) >> 1;
        if (!isEarlier(nth, parent)) break;
        swap(nth, parent);
        nth = parent;
      }
    },
    run: (): void => {
      for (let event = next(); event; event = next()) {
        time = event.time;
        event.end();
      }
    },
  };
}
