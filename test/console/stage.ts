import { permissions } from '@eaas/protocol/wire';
import type { Permission } from '@eaas/protocol/wire';
import { EaasClient } from '@eaas/sdk';
import { createTestService, type TestService } from '@eaas/sdk/testing';
import type { Page } from '../setup/chromium.ts';
import type { Api, Pages } from './pages.ts';

const day = 86_400_000;

/** A browser page whose server forwards calls to a service in memory. */
export interface Stage {
  readonly page: Page;
  readonly pages: Pages;
  readonly service: TestService;
  /** Calls the service directly, without the browser. */
  readonly client: EaasClient;
  /** Signs in and opens a path. The API key has all permissions, or those that are given. */
  readonly enter: (path: string, some?: readonly Permission[]) => Promise<void>;
  /** Opens a path without signing in. */
  readonly open: (path: string) => Promise<void>;
  /** Makes the service unreachable, or lets it stop responding. */
  readonly setAway: (how: 'unreachable' | 'silent') => void;
  /** Advances the time of the service. */
  readonly pass: (days: number) => void;
}

/** The number of days before today at which the service in memory begins by default. */
export const history = 400;

/** Creates a stage whose service began some days ago. */
export function openStage(page: Page, pages: Pages, daysAgo = history): Stage {
  let behind = daysAgo * day;
  const service = createTestService({ now: () => Date.now() - behind });
  const api: Api = (request) => service.fetch(new Request(request, { headers: request.headers }));
  pages.setApi((request) => api(redirected(request, service)));
  const client = new EaasClient({ ...service });
  return {
    page,
    pages,
    service,
    client,
    open: async (path) => {
      // Go to an empty page first, because a URL that differs only in its fragment would not reload the page.
      await page.goto('about:blank');
      await page.goto(pages.url + path);
    },
    enter: async (path, some = permissions) => {
      const made = service.createApiKey({ name: 'console', permissions: [...some] });
      const active = await client.keys.page({ status: 'active', limit: 100 });
      const code = pages.code({
        api_key: made.api_key,
        expires_at: new Date(Date.now() + day - 1_000).toISOString(),
        key_id: active.keys.at(-1)?.key_id ?? null,
        index_key: null,
        tenant: 'acme',
      });
      await page.goto('about:blank');
      const start = path.startsWith('/console/') ? '/console/' : '/';
      await page.goto(`${pages.url}${start}#code=${code}`);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      if (path !== start) await follow(page, path);
    },
    setAway: (how) =>
      pages.setApi(
        how === 'silent' ? () => new Promise(() => {}) : () => Promise.reject(new Error('unreachable')),
      ),
    pass: (days) => void (behind -= days * day),
  };
}

/** Replaces the origin of a call by the URL of the service in memory. */
function redirected(request: Request, { baseUrl }: TestService): Request {
  const { pathname, search } = new URL(request.url);
  return new Request(baseUrl + pathname + search, request);
}

/** Navigates to a path of the console without a reload, like a click on a link of the console. */
async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
}
