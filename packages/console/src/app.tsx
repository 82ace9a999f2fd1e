import { useLayoutEffect } from 'preact/hooks';
import { closeDialog, opened } from './parts/dialog.tsx';
import { lazily } from './parts/lazily.tsx';
import { Shell } from './parts/shell.tsx';
import { type View, place } from './places.ts';
import { Playground } from './playground/playground.tsx';
import { type PageProps, session } from './session.ts';
import { SignIn } from './sign-in.tsx';

const ApiKeys = lazily(() => import('./console/api-keys-page.tsx').then((module) => module.ApiKeys));
const Audit = lazily(() => import('./console/audit-page.tsx').then((module) => module.Audit));
const Key = lazily(() => import('./console/key-page.tsx').then((module) => module.Key));
const Keys = lazily(() => import('./console/keys-page.tsx').then((module) => module.Keys));
const People = lazily(() => import('./console/people-page.tsx').then((module) => module.People));
const SignIns = lazily(() => import('./console/sign-ins-page.tsx').then((module) => module.SignIns));
const Usage = lazily(() => import('./console/usage-page.tsx').then((module) => module.Usage));

export function App() {
  const { value } = session;
  useLayoutEffect(() => closeDialog, [value, place.value]);
  return (
    <Shell>
      {value ? <Page place={place.value} session={value} /> : <SignIn />}
      {value && opened.value}
    </Shell>
  );
}

function Page({ place, session }: PageProps & { readonly place: View }) {
  if (place.page === 'key') return <Key key={place.keyId} keyId={place.keyId} session={session} />;
  const View = views[place.page];
  return <View session={session} />;
}

const views = {
  playground: Playground,
  keys: Keys,
  'api-keys': ApiKeys,
  'sign-ins': SignIns,
  people: People,
  audit: Audit,
  usage: Usage,
};
