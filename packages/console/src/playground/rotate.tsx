// The fourth step: rotates the key. The old value still opens, and a new one is under the new version.
import { Notice } from '../parts/states.tsx';
import { keyName } from './own-key.ts';
import type { Played } from './play.ts';
import { Try } from './try.tsx';

export function Rotate({ play, sealed: { bundle, belongsTo } }: Played) {
  const { eaas, keyId, session } = play;
  const rotate = async () => {
    await eaas.keys.rotate(keyId);
    const value = await eaas.decrypt(bundle, { ...belongsTo, as: 'text' });
    const renewed = await eaas.encrypt(value, { ...belongsTo, fresh: true, as: 'bundle' });
    return { value, after: renewed.key_version };
  };
  return (
    <Try play={play} action="Rotate the key for real" {...(!session.isDevelopment && { asks })} work={rotate}>
      {({ value, after }) => (
        <Notice tone="good">
          <p>
            The old value, under version {bundle.key_version}, still opens: <code>{value}</code>
          </p>
          <p>A new encryption of it is under version {after}.</p>
        </Notice>
      )}
    </Try>
  );
}

const asks = {
  title: `Rotate ${keyName}`,
  action: 'Rotate the key',
  children: (
    <p>
      The key <code>{keyName}</code> of this tenant gets a new version, and the audit log records it. No other
      key changes.
    </p>
  ),
};
