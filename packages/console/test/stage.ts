import { type Permission, permissions } from '@eaas/protocol/wire';
import { EaasClient } from '@eaas/sdk';
import { createTestService, type TestService } from '@eaas/local';
import type { Page } from '@eaas/test-kit/chromium';
import type { Api, Pages } from './pages.ts';

const day = 86_400_000;

export type Stage = ReturnType<typeof openStage>;

export const history = 400;

export function openStage(page: Page, pages: Pages, daysAgo = history) {
  let behind = daysAgo * day;
  const service = createTestService({ now: () => Date.now() - behind });
  const api: Api = (request) => service.fetch(new Request(request, { headers: request.headers }));
  const respond: Api = (request) => api(redirected(request, service));
  pages.setApi(respond);
  const client = new EaasClient({ ...service });
  return {
    page,
    pages,
    service,
    client,
    respond,
    open: async (path: string) => {
      // Opens an empty page first, because Chromium does not reload a page if only the fragment of the URL changes.
      await page.goto('about:blank');
      await page.goto(pages.url + path);
    },
    /** Signs in with a sign-in code, as in development. */
    enter: async (path: string, some: readonly Permission[] = permissions) => {
      const made = await service.createApiKey({ name: 'console', permissions: [...some] });
      const code = pages.code({
        api_key: made.api_key,
        expires_at: new Date(Date.now() + day - 1_000).toISOString(),
        tenant: 'acme',
      });
      await page.goto('about:blank');
      const start = path.startsWith('/console/') ? '/console/' : '/';
      await page.goto(`${pages.url}${start}#code=${code}`);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      if (path !== start) await follow(page, path);
    },
    enterWithApiKey: async (path: string, some: readonly Permission[] = permissions) => {
      const { api_key } = await service.createApiKey({ name: 'pasted', permissions: [...some] });
      await page.goto('about:blank');
      await page.goto(pages.url + path);
      await page.getByLabel('API key').fill(api_key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
    },
    pass: (days: number) => {
      behind -= days * day;
    },
  };
}

function redirected(request: Request, { baseUrl }: TestService): Request {
  const { pathname, search } = new URL(request.url);
  return new Request(baseUrl + pathname + search, request);
}

async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
}
