import type { EaasClient } from '@eaas/sdk';
import { Field, Select, TextArea } from '../parts/field.tsx';
import type { ApiKeySignals } from './api-key-draft.ts';
import { KeyChoice } from './key-choice.tsx';
import { exclusions, PermissionChoice, permissionTexts } from './permission-choice.tsx';
import type { Signal } from '@preact/signals';

interface ApiKeyFieldsProps {
  readonly client: EaasClient;
  readonly fields: ApiKeySignals;
  readonly lives: readonly (readonly [string, string])[];
}

export function ApiKeyFields({ client, fields, lives }: ApiKeyFieldsProps) {
  const { name, permissions, keyIds, isForPages, origins, expires, expiresOn } = fields;
  const excluded = exclusions.filter(({ by }) => (by === 'keys' ? keyIds.value !== null : isForPages.value));
  const drop = (by: (typeof exclusions)[number]['by']): void => {
    const dropped = exclusions.find((each) => each.by === by)?.permissions ?? [];
    permissions.value = permissions.value.filter((one) => !dropped.includes(one));
  };
  return (
    <>
      <Field
        label="Name"
        hint="The application that uses it."
        autocomplete="off"
        maxLength={128}
        required
        value={name}
      />
      <KeyChoice
        client={client}
        value={keyIds}
        onChange={(ids) => {
          keyIds.value = ids;
          if (ids) drop('keys');
        }}
      />
      <OriginChoice
        isForPages={isForPages.value}
        origins={origins}
        texts={originTexts}
        onChange={(chosen) => {
          isForPages.value = chosen;
          if (chosen) drop('origins');
        }}
      />
      <PermissionChoice texts={permissionTexts} value={permissions} excluded={excluded} />
      <Select label="Expires" value={expires} options={lives} />
      {expires.value === 'date' && (
        <Field label="Date and time" type="datetime-local" required value={expiresOn} />
      )}
    </>
  );
}

const originTexts = {
  none: 'No web page can use it, only programs',
  some: 'Web pages of these origins can use it too',
  hint: 'One per line. Everyone who opens such a page can read the API key.',
};

interface OriginChoiceProps {
  readonly isForPages: boolean;
  readonly origins: Signal<string>;
  readonly texts: typeof originTexts;
  readonly error?: string | undefined;
  readonly onChange: (isForPages: boolean) => void;
}

export function OriginChoice({ isForPages, origins, texts, error, onChange }: OriginChoiceProps) {
  return (
    <fieldset class="choices">
      <legend>Web pages</legend>
      <label class="choice">
        <input type="radio" name="pages" checked={!isForPages} onChange={() => onChange(false)} />
        <span>{texts.none}</span>
      </label>
      <label class="choice">
        <input type="radio" name="pages" checked={isForPages} onChange={() => onChange(true)} />
        <span>{texts.some}</span>
      </label>
      {isForPages && (
        <div class="inset">
          <TextArea
            label="Allowed origins"
            hint={texts.hint}
            error={error}
            placeholder="https://app.example"
            rows={3}
            value={origins}
          />
        </div>
      )}
    </fieldset>
  );
}
