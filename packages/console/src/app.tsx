// The console as one component: the page that the address names, in its shell, and the dialog that is open over it.
import { Fragment } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { closeDialog, opened } from './parts/dialog.tsx';
import { lazily } from './parts/lazily.tsx';
import { PageHead } from './parts/page-head.tsx';
import { Shell } from './parts/shell.tsx';
import { place } from './places.ts';
import { Playground } from './playground/playground.tsx';
import { session } from './session.ts';
import { SignIn } from './sign-in.tsx';

export function App() {
  const { value } = session;
  useLayoutEffect(() => closeDialog, [value, place.value]);
  return (
    <Shell>
      {value ? (
        <Fragment key={value}>
          <Page />
          {opened.value}
        </Fragment>
      ) : (
        <SignIn />
      )}
    </Shell>
  );
}

function Page() {
  const { value } = place;
  if (value.page === 'key') return <Key key={value.keyId} keyId={value.keyId} />;
  const View = views[value.page];
  return <View />;
}

const Key = lazily(() => import('./console/key-page.tsx').then((module) => module.Key));
const views = {
  unknown: () => <PageHead title="There is no such page" lead="Choose another one above." />,
  playground: Playground,
  keys: lazily(() => import('./console/keys-page.tsx').then((module) => module.Keys)),
  'api-keys': lazily(() => import('./console/api-keys-page.tsx').then((module) => module.ApiKeys)),
  'sign-ins': lazily(() => import('./console/sign-ins-page.tsx').then((module) => module.SignIns)),
  people: lazily(() => import('./console/people-page.tsx').then((module) => module.People)),
  audit: lazily(() => import('./console/audit-page.tsx').then((module) => module.Audit)),
  usage: lazily(() => import('./console/usage-page.tsx').then((module) => module.Usage)),
};
