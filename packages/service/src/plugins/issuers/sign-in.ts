// A user of an app's sign-in, whom a token names: what this adds to the issuer's rights. Authorisation (rules/authorize.ts)
// asks it, and people find the user by it.
import type { Beyond, Holder } from '../../rules/authorize.ts';
import { Refusal } from '../../rules/refusal.ts';

/** What a token and its issuer say of a user. */
export interface SignIn extends Beyond {
  /** Whose data the user's own is: the issuer's prefix and the token's claim. */
  readonly subject: string;
  /** Whether the user may open the data of every subject, as staff. */
  readonly anySubject: boolean;
  /** Whether the user may see the entries about the own data. */
  readonly ownAudit: boolean;
  /** Whether the token has the claims that the issuer requires. */
  readonly meetsRequired: boolean;
}

/** `userId` is the id of the user as the log shows it. */
export function signInFor(facts: Omit<SignIn, keyof Beyond>, userId: string): SignIn {
  return {
    ...facts,
    logged: { user: userId },
    refuse({ forUsers }) {
      if (!facts.meetsRequired) return unmet();
      if (facts.anySubject || forUsers) return undefined;
      return refused('Users can call only what encrypts and decrypts their own data.');
    },
    // Users see their own log without the permission to see that of all.
    allows: ({ permission, forUsers }) => permission === 'audit.read' && forUsers === true && facts.ownAudit,
  };
}

/** What a token of a workload adds. What it may do is up to its permissions, as for an API key. */
export const workloadFor = ({ meetsRequired }: Pick<SignIn, 'meetsRequired'>, workload: string): Beyond => ({
  logged: { workload },
  refuse: () => (meetsRequired ? undefined : unmet()),
  allows: () => false,
});

const unmet = () => refused('The token does not have the claims that the issuer requires.');
const refused = (detail: string): Refusal => new Refusal('permission_missing', detail);

/** The user who calls by a token, if somebody does. */
export function signInOf(holder: Holder | null): SignIn | undefined {
  const beyond = holder?.beyond;
  return beyond && 'anySubject' in beyond ? (beyond as SignIn) : undefined;
}
