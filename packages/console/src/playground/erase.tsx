// The fifth step: erases a person who is made up. The value of step 1 is gone, and that of somebody else still opens.
import { ServiceError } from '@eaas/sdk';
import { Notice } from '../parts/states.tsx';
import { newOwner, type Played } from './play.ts';
import { Try } from './try.tsx';

export function Erase({ play, sealed: { bundle, belongsTo } }: Played) {
  const { eaas, session } = play;
  const erase = async () => {
    const grace = newOwner();
    const ciphertext = await eaas.encrypt('grace@example.com', grace);
    await session.client.subjects.erase({ subject: belongsTo.subject });
    const refusal: unknown = await eaas.decrypt(bundle, belongsTo).then(
      () => new Error('The erased value still opens. Please report this as a bug.'),
      (error: unknown) => error,
    );
    if (!(refusal instanceof ServiceError && refusal.code === 'subject_erased')) throw refusal;
    return { refusal, other: await eaas.decrypt(ciphertext, { ...grace, as: 'text' }) };
  };
  return (
    <Try play={play} action="Erase the person" work={erase}>
      {({ refusal, other }) => (
        <>
          <Notice tone="bad">
            <p>
              The value of step 1 is gone: <code>{refusal.code}</code>
            </p>
            <p>{refusal.message}</p>
          </Notice>
          <Notice tone="good">
            The value of somebody else still opens: <code>{other}</code>
          </Notice>
        </>
      )}
    </Try>
  );
}
