// What surrounds every page: the menu, who is signed in, and a notice while the service does not respond.
import type { ComponentChildren } from 'preact';
import { hasPlayground, place, type View } from '../places.ts';
import { isAway, leave, session } from '../session.ts';
import { Button } from './button.tsx';
import { Link } from './link.tsx';
import { Notice } from './states.tsx';
import { When } from './when.tsx';

/** On a phone, the menu has no room for the `rest` of a name. */
const pages: readonly { readonly place: View; readonly name: string; readonly rest?: string }[] = [
  { place: { page: 'playground' }, name: 'Play', rest: 'ground' },
  { place: { page: 'keys' }, name: 'Keys' },
  { place: { page: 'api-keys' }, name: 'API keys' },
  { place: { page: 'sign-ins' }, name: 'Sign-ins' },
  { place: { page: 'people' }, name: 'People' },
  { place: { page: 'audit' }, name: 'Audit', rest: ' log' },
  { place: { page: 'usage' }, name: 'Usage' },
];

export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { page } = place.value;
  const currentPage = page === 'key' ? 'keys' : page;
  return (
    <>
      <a
        class="unseen"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>('#content')?.focus();
        }}
      >
        Skip to the content
      </a>
      <header class="top">
        <div class="brand" aria-hidden="true">
          Eaas
        </div>
        <nav aria-label="Pages">
          <ul>
            {pages.filter(isServed).map(({ place: to, name, rest = '' }) => (
              <li key={name}>
                <Link to={to} isCurrent={to.page === currentPage}>
                  <span>
                    {name}
                    {rest !== '' && <span class="rest">{rest}</span>}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        {/* Opens a new tab, because leaving this page forgets an API key that the user pasted. */}
        <a href="/docs" target="_blank" rel="noopener">
          API<span class="rest"> reference</span>
          <span class="unseen">, in a new tab</span> <span aria-hidden="true">↗</span>
        </a>
        <Who />
      </header>
      <main id="content" tabIndex={-1}>
        {session.value && isAway.value && (
          <div class="page-head">
            <Notice tone="warn">The service does not respond. This page goes on as soon as it does.</Notice>
          </div>
        )}
        {children}
      </main>
    </>
  );
}

const isServed = ({ place: { page } }: (typeof pages)[number]): boolean =>
  page !== 'playground' || hasPlayground();

function Who() {
  const { value } = session;
  if (!value) return <div class="who" />;
  return (
    <div class="row who small">
      <span class="tenant">
        <strong>{value.tenant ?? 'Signed in'}</strong>
        {value.expiresAt && (
          <span class="soft">
            expires <When time={value.expiresAt.toISOString()} />
          </span>
        )}
      </span>
      <Button kind="quiet" onClick={() => leave('left')}>
        Sign out
      </Button>
    </div>
  );
}
