import type { Signal } from '@preact/signals';
import { TextArea } from '../parts/field.tsx';

interface OriginChoiceProps {
  readonly isForPages: boolean;
  readonly origins: Signal<string>;
  readonly onChange: (isForPages: boolean) => void;
}

export function OriginChoice({ isForPages, origins, onChange }: OriginChoiceProps) {
  return (
    <fieldset class="choices">
      <legend>Web pages</legend>
      <label class="choice">
        <input type="radio" name="pages" checked={!isForPages} onChange={() => onChange(false)} />
        <span>No web page can use it, only programs</span>
      </label>
      <label class="choice">
        <input type="radio" name="pages" checked={isForPages} onChange={() => onChange(true)} />
        <span>Web pages of these origins can use it too</span>
      </label>
      {isForPages && (
        <div class="inset">
          <TextArea
            label="Allowed origins"
            hint="One per line. Everyone who opens such a page can read the API key."
            placeholder="https://app.example"
            rows={3}
            value={origins}
          />
        </div>
      )}
    </fieldset>
  );
}
