// The page without a browser: it shows what it was given last. `verify-page.slow.test.ts` has what it looks like.
import { playLog } from '@eaas/test-kit/played-log';
import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => vi.unstubAllGlobals());

const log = playLog(3);
const linesOf = (count: number): string =>
  log.entries
    .slice(0, count)
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join('');

/** An element, of which the page fills the cells with texts. */
const element = (tagName: string) => ({
  tagName,
  files: [] as File[],
  value: '',
  textContent: '',
  cells: [] as unknown[],
  listeners: [] as (() => void)[],
  addEventListener(_: string, listener: () => void) {
    this.listeners.push(listener);
  },
  appendChild<Cell>(cell: Cell): Cell {
    this.cells.push(cell);
    return cell;
  },
  replaceChildren(...rows: unknown[]) {
    this.cells = rows;
  },
});

test('of two files that are chosen, the verdict about the one that was chosen last stays', async () => {
  const elements = new Map<string, ReturnType<typeof element>>();
  const byId = (id: string) => {
    const found = elements.get(id) ?? element('TABLE');
    elements.set(id, found);
    return found;
  };
  const dataset: Record<string, string> = {};
  vi.stubGlobal('document', {
    body: { dataset },
    getElementById: byId,
    createElement: element,
    addEventListener: () => {},
    querySelectorAll: () => [byId('files')],
  });
  // The page waits for the browser before it goes on, and here for the test.
  const waiting: (() => void)[] = [];
  vi.stubGlobal('setTimeout', (goOn: () => void) => waiting.push(goOn));
  const settled = async (until: () => boolean): Promise<void> => {
    while (!until()) await new Promise(setImmediate);
  };
  await import('./page.ts');

  const choose = async (count: number): Promise<void> => {
    byId('files').files = [new File([linesOf(count)], 'entries.ndjson')];
    const before = waiting.length;
    for (const listener of byId('files').listeners) listener();
    await settled(() => waiting.length > before);
  };
  const isShown = (count: number): boolean => JSON.stringify(byId('facts').cells).includes(`1 to ${count}`);
  await choose(2);
  await choose(3);
  waiting[1]?.();
  await settled(() => dataset['verdict'] !== undefined);
  expect([isShown(3), dataset]).toEqual([true, { verdict: 'fits' }]);
  byId('facts').cells = [];
  waiting[0]?.();
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
  expect(byId('facts').cells).toEqual([]);
});
