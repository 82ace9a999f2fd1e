// What a user does on the pages, and waits for: the words in which the states of the pages are written.
import type { Permission } from '@eaas/protocol/wire';
import type { Page } from '@eaas/test-kit/chromium';
import { keySet } from './seeds.ts';
import type { Stage } from './stage.ts';

export type Step = (stage: Stage) => Promise<unknown>;

type Name = string | RegExp;

export const open =
  (path: string): Step =>
  (stage) =>
    stage.open(path);
export const enter =
  (path: string, some?: readonly Permission[]): Step =>
  (stage) =>
    stage.enter(path, some);
export const press =
  (name: Name): Step =>
  ({ page }) =>
    page.getByRole('button', { name, exact: true }).first().click();
export const click =
  (label: Name): Step =>
  ({ page }) =>
    page.getByLabel(label).click();
export const fill =
  (label: Name, text: string): Step =>
  ({ page }) =>
    page.getByLabel(label).fill(text);
export const choose =
  (label: Name, option: string): Step =>
  ({ page }) =>
    page.getByLabel(label).selectOption(option);
export const sees =
  (text: Name): Step =>
  ({ page }) =>
    page.getByText(text).first().waitFor();
export const shows =
  (selector: string): Step =>
  ({ page }) =>
    page.locator(selector).first().waitFor();

/** From here on, the service is unreachable. */
export const away: Step = async ({ pages }) => pages.setApi(() => Promise.reject(new Error('unreachable')));

export const doing = async (stage: Stage, ...steps: readonly Step[]): Promise<void> => {
  for (const step of steps) await step(stage);
};

/** Every step of the playground in order, and what each shows. */
export const played: readonly Step[] = [
  press('Encrypt'),
  sees(/It is not there/),
  press('Decrypt'),
  shows('output'),
  press('Search'),
  sees(/has the fingerprint of row 42/),
  press('Read it as this user'),
  shows('#read td'),
  press('Rotate the key for real'),
  async ({ page }) => {
    // With an API key that a user pasted, the page asks first.
    const rotate = page.getByRole('button', { name: 'Rotate the key', exact: true });
    const result = page.getByText(/A new encryption of it/).first();
    await Promise.race([rotate.waitFor(), result.waitFor()]);
    if ((await rotate.count()) > 0) await rotate.click();
    await result.waitFor();
  },
  press('Erase the person'),
  sees('subject_erased'),
  ({ page }) => page.getByRole('log').getByText('subject.erase').waitFor(),
];

/** What breaks a rule of accessibility on a page that has axe. */
export async function violations(page: Page): Promise<string[]> {
  // Without this option, axe also describes each element that breaks no rule.
  const run = "axe.run({ resultTypes: ['violations'] })";
  return page.evaluate<string[]>(`${run}.then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => id + ': ' + html.slice(0, 160) + ' ' + (any[0]?.message ?? ''))))`);
}

/** Plays every step in a page that has a key. */
export const playAll = (page: Page): Promise<void> => doing({ page } as Stage, ...played);

export const find = (text: string, by = 'subject'): readonly Step[] => [
  choose('Find by', by),
  ({ page }) => page.locator('form.find input').fill(text),
  press('Find'),
];

/** Fills in the form of a sign-in for visitors. */
export const accepting = (jwks = keySet): readonly Step[] => [
  press('Accept a sign-in'),
  fill(/^Name$/, 'visitors'),
  fill(/^Issuer$/, 'https://visitors.example'),
  fill(/^Audience$/, 'https://clinic.example'),
  click('Only these, pasted here'),
  fill('JSON Web Key Set', jwks),
  click(/^patients/),
];
export const accept: Step = ({ page }) =>
  page.locator('dialog').getByRole('button', { name: 'Accept the sign-in' }).click();
