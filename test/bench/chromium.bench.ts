import { chromium } from '../runtimes/chromium.ts';
import type { Started } from '../runtimes/runtime.ts';
import { installPackages } from '../setup/installed-packages.ts';
import type { Benchmark, Comparison } from './compare.ts';
import type { run } from './in-page.ts';

const webCrypto = 'WebCrypto, bare';
const noble = 'noble gcm, bare';

/** What is compared inside of the page, under the names that it has there. */
const inPage = [
  { name: 'encrypt 64 B', reference: webCrypto, target: 0.6 },
  { name: 'encrypt 1 KiB', reference: webCrypto, target: 0.6 },
  { name: 'encrypt 64 B, 100 at once', reference: webCrypto, target: 0.6 },
  { name: 'encrypt 1 KiB, 100 at once', reference: webCrypto, target: 0.6 },
  { name: 'encryptSync 64 B', reference: noble, target: 0.8 },
  { name: 'encryptSync 1 KiB', reference: noble, target: 0.8 },
  { name: 'encryptStream 16 MiB', reference: webCrypto, target: 0.8 },
  // One value in one piece of memory, behind its header: a copy that WebCrypto alone does not make.
  { name: 'encryptBytes 16 MiB', reference: webCrypto },
];

export const benchmark: Benchmark = {
  name: 'chromium',
  about: "a page's client with a data key in memory, against one bare call for each value",
  comparisons: async (): Promise<readonly Comparison[]> => {
    if (chromium.leftOut) {
      console.log(`left out: ${chromium.leftOut}`);
      return [];
    }
    const app = await installPackages();
    const started = await chromium.start({ app, module: '../bench/in-page.ts' });
    const comparisons = inPage.map(({ name, reference, target }) => ({
      ours: { name, run: () => undefined },
      reference: { name: reference, run: () => undefined },
      target,
      elsewhere: () => started.run({ name }) as ReturnType<typeof run>,
    }));
    const last = comparisons.at(-1);
    return last ? [...comparisons.slice(0, -1), { ...last, close: () => end(started, app) }] : [];
  },
};

async function end(started: Started, app: { remove(): void }): Promise<void> {
  await started.stop();
  app.remove();
}
