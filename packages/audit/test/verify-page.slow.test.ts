// The page that checks evidence, as the build makes it, in browsers from `file://`. `PICTURES=<folder>` keeps what it looked like.
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { evidence, type EvidenceOptions } from '@eaas/audit';
import { isInstalled, whereAvailable } from '@eaas/test-kit/available';
import { type Browser, hasChromium, launchChromium, launchFirefox, type Page } from '@eaas/test-kit/chromium';
import { newDirectory } from '@eaas/test-kit/directory';
import { requireTools } from '@eaas/test-kit/tools';
import { type WitnessedLog, witnessedLog } from '@eaas/test-kit/witnessed-log';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = join(root, 'dist/verify.html');
const build = () => promisify(execFile)(process.execPath, ['build.mjs'], { cwd: root });
const pictures = process.env['PICTURES'] ?? (await newDirectory());
const subjectId = 'ab'.repeat(32);
const nasty =
  '"><img src=x onerror="document.title=1"><script>document.title=2</script>\u202egnp.\u2066\u0007';

/** Ten entries on each of five days, from September 1. Every fifth is about a person, and the others look like something else. */
function aLog(): WitnessedLog {
  const log = witnessedLog(0);
  for (let id = 1; id <= 50; id++) {
    const refused = id % 10 === 7 ? { outcome: 'refused' } : {};
    const about = id % 5 === 0 ? { subject: subjectId.slice(0, 32) } : { nasty };
    log.append(1, 'key.unwrap', { metadata: { ...refused, ...about } });
    log.time += 8_640_000;
  }
  log.moment();
  return log;
}

async function written(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await newDirectory();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}
async function folderOf(log: WitnessedLog, options: EvidenceOptions = {}, more: Record<string, string> = {}) {
  const files = { ...more };
  for await (const { name, text } of evidence(log, options)) files[name] = (files[name] ?? '') + text;
  return written(files);
}

const altered = (log: WitnessedLog) => (Object.assign(log.entries[19] as object, { actor: 'x' }), log);
const lineOf = ({ entries }: WitnessedLog) => `30 ${entries[29]?.hash}`;
const senderNames = 'Witnessed, by witnesses that the sender names';

/** A verdict, a sentence of it, the folder, and what its reader keeps. */
type Case = [string, string, (log: WitnessedLog) => Promise<string>, ((log: WitnessedLog) => string)?];
const cases: Case[] = [
  ['Fits together', 'could have written them all', (log) => folderOf(log)],
  ['Altered', 'entry 20 does not match', (log) => folderOf(altered(log))],
  ['Continues what you knew', 'Up to entry 30', (log) => folderOf(log), lineOf],
  ['Witnessed', 'Signed by north, south', (log) => folderOf(log, { subjectId }), ({ policy }) => policy],
  [senderNames, 'Ask the witnesses', (log) => folderOf(log, {}, { 'policy.txt': log.policy })],
];

test('the page is small, without what could run a text, and two builds of it are equal', async () => {
  await build();
  const page = readFileSync(built, 'utf8');
  await build();
  expect(readFileSync(built, 'utf8')).toBe(page);
  expect(Buffer.byteLength(page)).toBeLessThanOrEqual(90_000);
  expect(page).not.toMatch(/innerHTML|insertAdjacent|\beval\(|\bfetch\(|\bimport\(|https?:\/\/(?!paulmillr)/);
});

whereAvailable('Chromium', hasChromium, () => {
  let launched: { readonly browser: Browser; readonly close: () => Promise<void> };
  let axe: string;
  beforeAll(async () => {
    axe = readFileSync(join(await requireTools('test/tools/console'), 'axe-core/axe.min.js'), 'utf8');
    launched = await launchChromium();
  });
  afterAll(() => launched.close());

  async function open() {
    const page = await launched.browser.newPage({ viewport: { width: 1_000, height: 900 } });
    onTestFinished(() => page.close());
    await page.addInitScript({ content: axe });
    const noise: string[] = [];
    page.on('console', (message) => void noise.push(message.text()));
    page.on('pageerror', (error) => void noise.push(String(error)));
    page.on('request', (request) => void noise.push(request.url()));
    await page.goto(pathToFileURL(built).href);
    return { page, noise };
  }
  /** Gives a folder to the page, and returns what the page says about it. */
  async function give(page: Page, folder: string): Promise<string> {
    await page.locator('#folder').setInputFiles(folder);
    await page.locator('body[data-verdict]').waitFor();
    return page.locator('#result').innerText();
  }
  /** Drops a folder on the first box, as a hand does. */
  async function drop(page: Page, folder: string): Promise<void> {
    const box = 'document.getElementById("folder").getBoundingClientRect().toJSON()';
    const { x, y, width, height } = await page.evaluate<DOMRect>(box);
    const session = await page.context().newCDPSession(page);
    const data = { items: [], files: [folder], dragOperationsMask: 1 };
    const at = { x: x + width / 2, y: y + height / 2, data };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await session.send('Input.dispatchDragEvent', { ...at, type });
    }
  }
  const violations = (page: Page) =>
    page.evaluate<string[]>(
      "axe.run({ resultTypes: ['violations'] }).then((found) => found.violations.map(({ id, nodes }) => id + nodes[0].html))",
    );

  test.each(cases)('%s, in light and dark and on paper', async (title, says, prepare, keep) => {
    const { page, noise } = await open();
    const log = aLog();
    if (keep) await page.getByLabel(/number hash/).fill(keep(log));
    const text = await give(page, await prepare(log));
    expect(text.includes('next time\tnothing')).toBe(title === 'Altered');
    expect(await page.locator('.verdict:visible strong').innerText()).toBe(title);
    expect(text).toContain(says);
    // What an entry says is shown as it is, with what is hidden in it.
    expect(text).toContain(keep ? says : String.raw`<script>document.title=2</script>\u202egnp.\u2066\u0007`);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page)).toEqual([]);
    }
    expect(noise).toEqual([pathToFileURL(built).href]);
    expect(await page.evaluate('document.title + document.querySelectorAll("img").length')).toMatch(/Eaas0$/);
    await page.screenshot({ path: join(pictures, `${title}.png`), fullPage: true });
    await page.pdf({ path: join(pictures, `${title}.pdf`), preferCSSPageSize: true });
    const pdf = readFileSync(join(pictures, `${title}.pdf`), 'latin1');
    expect(pdf.match(/\/MediaBox \[0 0 59[45][\d.]* 84[12][\d.]*\]/g)?.length).toBeGreaterThan(0);
  });

  test('a folder that is dropped on its box is judged, and nothing is sent', async () => {
    const { page, noise } = await open();
    await drop(page, await folderOf(altered(aLog()), {}, { 'note.txt': nasty }));
    await page.locator('body[data-verdict]').waitFor();
    expect(await page.locator('#result').innerText()).toContain('entry 20 does not match');
    expect(await page.evaluate('document.title + document.querySelectorAll("img").length')).toMatch(/Eaas0$/);
    expect(noise).toEqual([pathToFileURL(built).href]);
  });

  test('it says what of a period can be missing, counts its entries, and finds words', async () => {
    const { page } = await open();
    const log = aLog();
    const days = { from: new Date('2026-09-02T00:00:00Z'), to: new Date('2026-09-03T23:59:59.999Z') };
    const whole = await folderOf(log, days);
    const ask = async (id: string, text: string) => {
      await page.locator(`#${id}`).fill(text);
      await page.keyboard.press('Tab');
    };
    await ask('from', '2026-09-02');
    await ask('to', '2026-09-03');
    const period = 'Entries 11 to 30 are of the period';
    const text = await give(page, whole);
    expect(text).toContain(`${period}, and no others`);
    expect(text).toMatch(/data key unwrapped\s+18\s+data key unwrapped, refused\s+2/);
    const lines = readFileSync(join(whole, 'entries.ndjson'), 'utf8').split('\n');
    const cut = async (from: number, to: number) => {
      return give(page, await written({ 'entries.ndjson': lines.slice(from, to).join('\n') }));
    };
    expect(await cut(2, -1)).toContain(
      'Entries 11 to 30 are of the period. Others can be missing before them',
    );
    expect(await cut(1, -1)).toContain('Others can be missing before them');
    expect(await cut(0, 22)).toContain(`${period}. Others can be missing after them`);
    expect(await give(page, await folderOf(log, { ...days, subjectId }))).toContain(
      'Entries 15 to 30 are of the period. Others can be missing before them and after them',
    );
    await ask('words', 'REFUSED');
    await page.locator('body[data-verdict]').waitFor();
    expect(await page.locator('#rows tr').count()).toBe(0);
    await give(page, whole);
    expect(await page.locator('#rows tr').count()).toBe(2);
  });

  test.each<[string, Record<string, string>]>([
    ['One file must end with .ndjson', { 'evidence.zip': 'PK', 'README.txt': 'Trust me' }],
    ['One file must end with .ndjson', { 'a/entries.ndjson': '', 'b/entries.ndjson': '' }],
    ['the file has no entries', { 'entries.ndjson': '' }],
    ['line 1 is not an audit entry', { 'entries.ndjson': `<html>${nasty}` }],
    ['line 1 is not an audit entry', { 'entries.ndjson': '{"id":1,'.repeat(200_000) }],
  ])('it says "%s" and judges nothing (%#)', async (says, files) => {
    const { page } = await open();
    await page.locator('#folder').setInputFiles(await written(files));
    await page.getByText(says).waitFor();
    expect(await page.locator('#result:visible').count()).toBe(0);
  });
});

whereAvailable('Firefox', isInstalled('firefox-esr'), () => {
  test('Firefox shows the same verdicts', async () => {
    const browser = await launchFirefox();
    onTestFinished(() => browser.close());
    for (const [title, says, prepare, keep] of cases) {
      const [page, log] = [await browser.newPage(), aLog()];
      const folder = await prepare(log);
      await page.goto(pathToFileURL(built).href);
      if (keep) await page.locator('#line').fill(keep(log));
      await page.locator('#files').setInputFiles(readdirSync(folder).map((name) => join(folder, name)));
      await page.locator('body[data-verdict]').waitFor();
      expect(await page.locator('.verdict:visible strong').innerText()).toBe(title);
      expect(await page.locator('#result').innerText()).toContain(says);
    }
  });
});
