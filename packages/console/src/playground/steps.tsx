// The five steps, one story: the value of the first step is searched, read, rotated and erased.
import { Encrypt } from './encrypt.tsx';
import { Erase } from './erase.tsx';
import { LiveAudit } from './live-audit.tsx';
import { keyName } from './own-key.ts';
import type { Play } from './play.ts';
import { Read } from './read.tsx';
import { Rotate } from './rotate.tsx';
import { Search } from './search.tsx';
import { Step } from './step.tsx';

const later = [
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
] as const;

export function Steps({ play }: { readonly play: Play }) {
  const sealed = play.sealed.value?.value;
  return (
    <div class="two">
      <div>
        <Step
          name="encrypt"
          number={1}
          title="Encrypt a value"
          lead={
            <>
              The SDK draws a random data key in this page, encrypts the value with it, and asks the service
              to wrap the data key. The context <code>users / 42</code> says where the value belongs, and the
              subject whose it is.
            </>
          }
        >
          <Encrypt play={play} />
        </Step>
        {later.map(({ View, ...texts }, index) => (
          <Step key={texts.name} number={index + 2} {...texts}>
            {sealed ? (
              <View key={sealed.bundle.ciphertext} play={play} sealed={sealed} />
            ) : (
              <p class="notice soft">Encrypt a value in step 1 first.</p>
            )}
          </Step>
        ))}
      </div>
      <LiveAudit play={play} />
    </div>
  );
}
