// Makes the screenshots for the README: the first step of the playground, in light and in dark colors. `npm run
// pictures` builds the pages and runs this file.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchChromium } from '@eaas/test-kit/chromium';
import { openPages } from './pages.ts';
import { openStage } from './stage.ts';

const folder = fileURLToPath(new URL('../../../docs/', import.meta.url));

const { browser, close } = await launchChromium();
const pages = await openPages(() => Promise.reject(new Error('no service yet')));
try {
  const page = await browser.newPage({ locale: 'en-US', reducedMotion: 'reduce' });
  await page.setViewportSize({ width: 1280, height: 1120 });
  const stage = openStage(page, pages);
  await stage.enter('/');
  await page.getByText('The chain holds.').first().waitFor();
  await page.getByRole('button', { name: 'Encrypt', exact: true }).click();
  await page.getByText(/It is not there/).waitFor();
  await page.getByRole('log').getByText('key.wrap').waitFor();
  await page.evaluate('document.activeElement.blur(); scrollTo(0, 0)');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.screenshot({ path: join(folder, `playground-${colorScheme}.png`) });
  }
} finally {
  await pages.close();
  await close();
}
