// The five steps, one story: the value of the first step is searched, read, rotated and erased.
import type { ComponentChildren, ComponentType } from 'preact';
import { Code } from '../parts/code.tsx';
import { Encrypt } from './encrypt.tsx';
import { Erase } from './erase.tsx';
import { LiveAudit } from './live-audit.tsx';
import { keyName } from './own-key.ts';
import type { Play, Played } from './play.ts';
import { Read } from './read.tsx';
import { Rotate } from './rotate.tsx';
import { Search } from './search.tsx';
import { snippets } from './snippets.ts';

interface Step {
  readonly name: keyof typeof snippets;
  readonly title: string;
  readonly lead: ComponentChildren;
  /** Undefined for the first, which makes the value of the others. */
  readonly View?: ComponentType<Played>;
}

const steps: readonly Step[] = [
  {
    name: 'encrypt',
    title: 'Encrypt a value',
    lead: (
      <>
        The SDK draws a random data key in this page, encrypts the value with it, and asks the service to wrap
        the data key. The context <code>users / 42</code> says where the value belongs, and the subject whose
        it is.
      </>
    ),
  },
  {
    name: 'search',
    title: 'Search without decrypting',
    lead:
      'Two encryptions of one value look different, so the database cannot compare them. This page ' +
      'therefore stores a fingerprint beside each value. It computes the fingerprints with an index key, ' +
      'and equal values have equal fingerprints.',
    View: Search,
  },
  {
    name: 'read',
    title: 'See who read it',
    lead:
      'Your app names the user for whom it decrypts, and the service records who it was. So the audit log ' +
      'answers who read the data of a person. It has ids instead of names. Read the value as several users, ' +
      'and compare.',
    View: Read,
  },
  {
    name: 'rotate',
    title: 'Rotate the key, and still read the old value',
    lead: (
      <>
        Rotation makes a new version of the key. New values use it. Old values contain their version number
        and still decrypt, so nothing in your database has to change. This step rotates only{' '}
        <code>{keyName}</code>, the playground’s own key.
      </>
    ),
    View: Rotate,
  },
  {
    name: 'erase',
    title: 'Erase one person, everywhere',
    lead:
      'Each person has a secret of their own. One call erases it: the values of this person open nowhere, ' +
      'not in a backup of your app either, and those of everyone else still do.',
    View: Erase,
  },
];

export function Steps({ play }: { readonly play: Play }) {
  const sealed = play.sealed.value?.value;
  return (
    <div class="two">
      <div>
        {steps.map(({ name, title, lead, View }, index) => (
          <section key={name} class="stack" id={name} aria-labelledby={`${name}-title`}>
            <h2 id={`${name}-title`}>
              <span class="badge" aria-hidden="true">
                {index + 1}
              </span>{' '}
              {title}
            </h2>
            <p class="soft">{lead}</p>
            {!View && <Encrypt play={play} />}
            {View && sealed && <View key={sealed.bundle.ciphertext} play={play} sealed={sealed} />}
            {View && !sealed && <p class="notice soft">Encrypt a value in step 1 first.</p>}
            <Code title="The code of this step" code={snippets[name]} />
          </section>
        ))}
      </div>
      <LiveAudit play={play} />
    </div>
  );
}
