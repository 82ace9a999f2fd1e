// The first step: encrypts what the user typed, searches the request for it, and decrypts the result.
import { CopyBox } from '../parts/copy.tsx';
import { Notice } from '../parts/states.tsx';
import { newOwner, type Play, type Played, type Sealed } from './play.ts';
import { Try } from './try.tsx';

export function Encrypt({ play }: { readonly play: Play }) {
  const { sealed, eaas } = play;
  const encrypt = async (): Promise<Sealed> => {
    const value = play.value.value;
    const belongsTo = newOwner();
    return { value, belongsTo, bundle: await eaas.encrypt(value, { ...belongsTo, as: 'bundle' }) };
  };
  return (
    <>
      <Try
        play={play}
        action={sealed.value ? 'Encrypt again' : 'Encrypt'}
        input={['Value', play.value]}
        work={encrypt}
        earlier={sealed.value}
        onDone={(recorded) => {
          if (recorded.ok) sealed.value = recorded;
        }}
        plaintextOf={(made) => made?.value}
        isOpen
      >
        {({ bundle }) => (
          <>
            <Notice tone="good">
              Encrypted under version {bundle.key_version} of the key. This is what you store:
            </Notice>
            <CopyBox text={bundle.ciphertext} of="the ciphertext" />
          </>
        )}
      </Try>
      {sealed.value && (
        <Decrypt key={sealed.value.value.bundle.ciphertext} play={play} sealed={sealed.value.value} />
      )}
    </>
  );
}

function Decrypt({ play, sealed: { bundle, belongsTo } }: Played) {
  return (
    <Try play={play} action="Decrypt" work={() => play.eaas.decrypt(bundle, { ...belongsTo, as: 'text' })}>
      {(value) => <output class="notice good">{value}</output>}
    </Try>
  );
}
