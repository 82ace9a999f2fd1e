// Which page the address of the browser names, and how to go to another one without a reload.
import { computed, signal } from '@preact/signals';

/** What the address of the browser shows: a page, or one key. */
export type View =
  | { readonly page: 'playground' | 'unknown' | (typeof pages)[number] }
  | { readonly page: 'key'; readonly keyId: string };

const pages = ['keys', 'api-keys', 'sign-ins', 'people', 'audit', 'usage'] as const;

export function placeOf({ pathname, hash }: Pick<URL, 'pathname' | 'hash'>): View {
  if (!pathname.startsWith('/console')) return { page: 'playground' };
  const [, keyId] = /^#\/keys\/([\da-f-]{36})$/.exec(hash) ?? [];
  if (keyId) return { page: 'key', keyId };
  return { page: pages.find((page) => hash === `#/${page}`) ?? (hash.startsWith('#/') ? 'unknown' : 'keys') };
}

export function addressOf(place: View): string {
  if (place.page === 'playground') return '/';
  if (place.page === 'key') return `/console/#/keys/${place.keyId}`;
  return `/console/#/${place.page}`;
}

/** Whether the server serves the playground. It can be switched off apart from the console. */
export function hasPlayground(): boolean {
  return document.body.dataset['playground'] === 'on';
}

const current = signal<View>({ page: 'playground' });

export const place = computed(() => current.value);

/** Shows another page of the console without a reload, because a reload would delete the API key from memory. */
export function go(to: View): void {
  history.pushState(null, '', addressOf(to));
  current.value = to;
  scrollTo(0, 0);
}

export function followAddress(): void {
  const read = (): void => {
    current.value = placeOf(location);
  };
  addEventListener('popstate', read);
  addEventListener('hashchange', read);
  read();
}
