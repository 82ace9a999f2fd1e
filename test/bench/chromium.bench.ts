import { chromium } from '../runtimes/chromium.ts';
import { installPackages } from '../setup/installed-packages.ts';
import type { Benchmark } from './compare.ts';
import { comparisons, type run } from './in-page.ts';

export const benchmark: Benchmark = {
  name: 'chromium',
  about: 'the client in a page with a data key in memory, compared with one bare WebCrypto call per value',
  async comparisons(defer) {
    if (chromium.available === false) {
      console.log('not available: Chromium');
      return [];
    }
    const app = await installPackages();
    defer(app.remove);
    const started = await chromium.start({ app, module: '../bench/in-page.ts' });
    defer(started.stop);
    return Object.entries(comparisons).map(([name, { reference, target }]) => ({
      ours: { name, run: () => undefined },
      reference: { name: reference, run: () => undefined },
      target,
      elsewhere: () => started.run({ name }) as ReturnType<typeof run>,
    }));
  },
};
