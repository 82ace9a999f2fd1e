// What a person types for an issuer otherwise than as the API takes it: a file with keys, and claims with their values.
import { asWord } from '@eaas/server/internal';
import { InvalidArgumentError } from 'commander';
import { objectIn, readGiven } from './given-file.ts';
import { WrongUsage } from './kit/index.ts';
import { list } from './values.ts';

/** Adds `claim=value,value` to what was required before. */
export function acceptedClaims(text: string, before: unknown): object {
  const [claim = '', values] = text.split(/=(.*)/s);
  const others = typeof before === 'object' && before !== null ? before : {};
  if (claim === '' || values === undefined || Object.hasOwn(others, claim)) {
    throw new InvalidArgumentError('Pass each claim once, with all of its values, as in role=doctor,nurse.');
  }
  return { ...others, [claim]: list(values) };
}

/** Reads a key set. Members other than `keys`, which some providers add, are ignored. */
export function keySetIn(path: string): object {
  const keys = objectIn(readGiven(path, 'key set'))?.['keys'];
  if (Array.isArray(keys)) return { keys };
  throw new WrongUsage(
    `--jwks ${asWord(path)} is not a JSON Web Key Set: it must be a JSON object whose \`keys\` is a list. ` +
      'The sign-in publishes it, often as /.well-known/jwks.json.',
  );
}
