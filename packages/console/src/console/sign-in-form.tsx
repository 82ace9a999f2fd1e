import type { IssuerPermission } from '@eaas/protocol/wire';
import type { EaasClient } from '@eaas/sdk';
import { Field, Select, TextArea } from '../parts/field.tsx';
import { OriginChoice } from './api-key-form.tsx';
import { KeyChoice } from './key-choice.tsx';
import { PermissionChoice, permissionTexts } from './permission-choice.tsx';
import { emptyDraft, type Faults, type SignInDraft, type SignInSignals } from './sign-in-draft.ts';

interface SignInFieldsProps {
  readonly client: EaasClient;
  readonly signals: SignInSignals;
  readonly faults: Faults;
  readonly lives: readonly (readonly [string, string])[];
  /** Whether the fields that never change can be filled in. */
  readonly isNew: boolean;
}

const plain = { autocomplete: 'off', autocapitalize: 'off', spellcheck: false } as const;

export function SignInFields({ client, signals, faults, lives, isNew }: SignInFieldsProps) {
  const { name, permissions, keyIds, isForPages, origins, require, parties, maxAge } = signals;
  const texts = signals.whose.value === 'workload' ? ofWorkloads : ofUsers;
  return (
    <>
      <Field
        label="Name"
        hint="Whose sign-in it is, such as patients."
        error={faults.name}
        maxLength={128}
        required
        value={name}
        {...plain}
      />
      {isNew && <Identity signals={signals} faults={faults} />}
      <PublicKeys signals={signals} faults={faults} />
      {isNew && <WhoseData signals={signals} faults={faults} />}
      <PermissionChoice
        legend="What its tokens allow"
        texts={texts}
        value={permissions}
        error={faults.permissions}
      />
      <KeyChoice
        client={client}
        value={keyIds}
        onChange={(ids) => (keyIds.value = ids)}
        mustChoose
        error={faults.key_ids}
      />
      <OriginChoice
        isForPages={isForPages.value}
        origins={origins}
        error={faults.allowed_origins}
        texts={{
          none: 'No web page can send its tokens, only programs',
          some: 'Web pages of these origins can send its tokens too',
          hint: 'One per line. The pages that your users sign in on.',
        }}
        onChange={(chosen) => (isForPages.value = chosen)}
      />
      <TextArea
        label="Required claims"
        hint="One per line. A token must have one of the values of each claim."
        placeholder="role=doctor,nurse"
        rows={2}
        required={signals.whose.value !== 'own'}
        error={faults.require}
        value={require}
      />
      <TextArea
        label="Authorised parties"
        hint="One client id (azp) per line. Only for tokens with several audiences."
        rows={2}
        required={false}
        error={faults.authorized_parties}
        value={parties}
      />
      <Field
        label="Longest life of a token, in seconds"
        type="number"
        min={60}
        max={86_400}
        required
        hint="From 60 to 86,400. Set the provider to this or less."
        error={faults.max_age_seconds}
        value={maxAge}
      />
      <Select label="Expires" value={signals.expires} options={lives} error={faults.expires_at} />
      {signals.expires.value === 'date' && (
        <Field label="Date and time" type="datetime-local" required value={signals.expiresOn} />
      )}
    </>
  );
}

type Part = Pick<SignInFieldsProps, 'signals' | 'faults'>;

function Identity({ signals, faults }: Part) {
  return (
    <>
      <Field
        label="Issuer"
        hint="The claim iss of its tokens, exactly."
        placeholder="https://sign-in.example"
        error={faults.issuer}
        required
        value={signals.issuer}
        {...plain}
      />
      <Field
        label="Audience"
        hint="The claim aud of its tokens, exactly. It says that a token is for your app."
        error={faults.audience}
        required
        value={signals.audience}
        {...plain}
      />
    </>
  );
}

const keySources = [
  ['uri', 'The service fetches them, and follows changes'],
  ['text', 'Only these, pasted here'],
] as const;

function PublicKeys({ signals: { keysFrom, jwks, jwksUri }, faults }: Part) {
  return (
    <fieldset class="choices">
      <legend>Public keys</legend>
      {keySources.map(([source, text]) => (
        <label key={source} class="choice">
          <input
            type="radio"
            name="keys-from"
            checked={keysFrom.value === source}
            onChange={() => (keysFrom.value = source)}
          />
          <span>{text}</span>
        </label>
      ))}
      <div class="inset">
        {keysFrom.value === 'uri' ? (
          <Field
            label="Address of the key set"
            hint={
              <>
                The jwks_uri of the provider. The operator allows its host with <code>EAAS_ISSUER_HOSTS</code>
                .
              </>
            }
            placeholder="https://sign-in.example/.well-known/jwks.json"
            error={faults.jwks_uri}
            required
            value={jwksUri}
            {...plain}
          />
        ) : (
          <TextArea
            label="JSON Web Key Set"
            hint="The provider publishes it, often as /.well-known/jwks.json. When it changes its keys, paste the new ones."
            placeholder='{ "keys": [ … ] }'
            rows={6}
            error={faults.jwks}
            value={jwks}
          />
        )}
      </div>
    </fieldset>
  );
}

const ofUsers: Readonly<Partial<Record<IssuerPermission, string>>> = {
  encrypt: 'Wrap data keys',
  decrypt: 'Unwrap data keys',
  'audit.own': 'See who used their own data, and when',
};

/** A workload can have what an API key that is limited to some keys can have. */
const ofWorkloads = Object.fromEntries(
  Object.entries(permissionTexts).filter(([name]) => /^(en|de)crypt$|^keys/.test(name)),
);

const owners: readonly (readonly [SignInDraft['whose'], string])[] = [
  ['own', 'Only their own, as patients do'],
  ['staff', 'Everyone’s, as staff does: say below which claims make a user one of the staff'],
  ['workload', 'All, as a workload: a service with an identity of its platform'],
];

function WhoseData({ signals: { whose, permissions, subjectClaim, subjectPrefix }, faults }: Part) {
  const choose = (chosen: SignInDraft['whose']): void => {
    whose.value = chosen;
    permissions.value = emptyDraft.permissions;
  };
  return (
    <fieldset class="choices">
      <legend>Whose data its users open</legend>
      {owners.map(([name, text]) => (
        <label key={name} class="choice">
          <input type="radio" name="whose" checked={whose.value === name} onChange={() => choose(name)} />
          <span>{text}</span>
        </label>
      ))}
      <div class="inset stack">
        <Field
          label="Claim that names the user"
          hint="One that users cannot choose. It never changes."
          error={faults.subject_claim}
          required
          value={subjectClaim}
          {...plain}
        />
        <Field
          label="Prefix"
          hint="What stands before the claim in the subject, such as patient: or nothing."
          error={faults.subject_prefix}
          value={subjectPrefix}
          {...plain}
        />
      </div>
    </fieldset>
  );
}
