// Writes pictures of the console and the playground, on a phone and on a desktop, light and dark. Usage:
//   npm run build -w @eaas/console
//   node --conditions=@eaas/source --import tsx packages/console/test/screenshots.ts <folder> [<part of a name>]
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launchChromium } from '@eaas/test-kit/chromium';
import { openPages } from './pages.ts';
import { openStage } from './stage.ts';
import { states } from './states.ts';

const [folder, part = ''] = process.argv.slice(2);
if (!folder) throw new Error("usage: screenshots.ts <output folder> [<part of a screenshot's name>]");
mkdirSync(folder, { recursive: true });
const widths = [1440, 390] as const;
const schemes = ['light', 'dark'] as const;

const { browser, close } = await launchChromium();
const pages = await openPages(() => Promise.reject(new Error('no service yet')));
try {
  for (const { name, reach } of states.filter((state) => state.name.includes(part))) {
    const page = await browser.newPage({ locale: 'en-US', reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 1440, height: 900 });
    await reach(openStage(page, pages));
    for (const width of widths) {
      for (const colorScheme of schemes) {
        await page.setViewportSize({ width, height: width > 500 ? 900 : 844 });
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        const fullPage = (await page.locator('dialog').count()) === 0;
        await page.evaluate(
          fullPage ? 'scrollTo(0, 0)' : "document.activeElement.scrollIntoView({ block: 'nearest' })",
        );
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage });
      }
    }
    await page.close();
    process.stdout.write(`${name}\n`);
  }
} finally {
  await pages.close();
  await close();
}
