// What a user does on the pages, and waits for: the words in which the states of the pages are written.
import type { Permission } from '@eaas/protocol/wire';
import { seed } from './seed.ts';
import type { Stage } from './stage.ts';

export type Step = (stage: Stage) => Promise<unknown>;

/** States of the pages by name, and the steps that lead a page into each. */
export type States = Readonly<Record<string, readonly Step[] | ReturnType<typeof failing>>>;

/** A state in which a request failed, which the browser logs. */
export const failing = (...steps: readonly Step[]) => ({ steps });

type Name = string | RegExp;

export const open =
  (path: string): Step =>
  (stage) =>
    stage.open(path);
export const enter =
  (path: string, some?: readonly Permission[]): Step =>
  (stage) =>
    stage.enter(path, some);
export const enterWithApiKey =
  (path: string, some?: readonly Permission[]): Step =>
  (stage) =>
    stage.enterWithApiKey(path, some);
export const press =
  (name: Name): Step =>
  ({ page }) =>
    page.getByRole('button', { name, exact: true }).first().click();
export const follow =
  (name: string): Step =>
  ({ page }) =>
    page.getByRole('link', { name, exact: true }).click();
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

/** From here on, the service is unreachable or silent, or only its paths that end with `only`. */
export const away =
  (how: 'unreachable' | 'silent', only?: string): Step =>
  async ({ setAway }) =>
    setAway(how, only);

/** From here on, the service knows the API key no more. */
export const expire: Step = async ({ pages }) =>
  pages.setApi(async () => Response.json({ code: 'unauthorized', detail: 'no' }, { status: 401 }));

export const seeded: Step = (stage) => seed(stage);

export const doing = async (stage: Stage, ...steps: readonly Step[]): Promise<void> => {
  for (const step of steps) await step(stage);
};
