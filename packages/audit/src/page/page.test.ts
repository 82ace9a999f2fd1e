// The page without a browser: it shows what it was given last. `verify-page.slow.test.ts` has what it looks like.
import { playLog } from '@eaas/test-kit/played-log';
import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => vi.unstubAllGlobals());

const lines = playLog(3).entries.map((entry) => `${JSON.stringify(entry)}\n`);

/** An element that has all that the page asks for, and takes whatever the page does to it. */
const element = () => ({
  files: [] as File[],
  value: '',
  texts: [] as unknown[],
  check: () => {},
  addEventListener(_: string, listener: () => void) {
    this.check = listener;
  },
  appendChild<Cell>(cell: Cell): Cell {
    this.texts.push(cell);
    return cell;
  },
  replaceChildren(...rows: unknown[]) {
    this.texts = rows;
  },
});

test('of two files that are chosen, the verdict about the one that was chosen last stays', async () => {
  const [files, facts, other] = [element(), element(), element()];
  const byId: Record<string, typeof other> = { files, facts };
  const dataset: Record<string, string> = {};
  vi.stubGlobal('document', {
    body: { dataset },
    getElementById: (id: string) => byId[id] ?? other,
    createElement: element,
    addEventListener: () => {},
    querySelectorAll: () => [files],
  });
  // The page waits for the browser before it goes on, and here for the test.
  const waiting: (() => void)[] = [];
  vi.stubGlobal('setTimeout', (goOn: () => void) => waiting.push(goOn));
  await import('./page.ts');
  for (const count of [2, 3]) {
    files.files = [new File(lines.slice(0, count), 'entries.ndjson')];
    files.check();
    while (waiting.length < count - 1) await new Promise(setImmediate);
  }
  waiting[1]?.();
  while (dataset['verdict'] === undefined) await new Promise(setImmediate);
  expect([JSON.stringify(facts.texts), dataset]).toEqual([
    expect.stringContaining('1 to 3'),
    { verdict: 'fits' },
  ]);
  facts.texts = [];
  waiting[0]?.();
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
  expect(facts.texts).toEqual([]);
});
