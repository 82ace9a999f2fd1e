import { inLine } from '@eaas/protocol/internal';
import type { Signal } from '@preact/signals';
import type { EaasClient } from '@eaas/sdk';
import { useLoaded } from '../load.ts';
import { short } from '../parts/short.ts';
import type { KeyRecord } from './key-status.tsx';

interface KeyChoiceProps {
  readonly client: EaasClient;
  readonly value: Signal<readonly string[] | null>;
  readonly onChange: (ids: readonly string[] | null) => void;
}

export function KeyChoice({ client, value, onChange }: KeyChoiceProps) {
  const { value: page, failure } = useLoaded((signal) => client.keys.page({ limit: 100 }, { signal }), []);
  const chosen = value.value;
  return (
    <fieldset class="choices">
      <legend>Keys</legend>
      <label class="choice">
        <input type="radio" name="keys" checked={chosen === null} onChange={() => onChange(null)} />
        <span>All keys, including keys that are created later</span>
      </label>
      <label class="choice">
        <input
          type="radio"
          name="keys"
          checked={chosen !== null}
          disabled={!page || page.count === 0}
          onChange={() => onChange([])}
        />
        <span>Only these</span>
      </label>
      {failure && <p class="hint">The keys cannot be listed here: {failure.detail}</p>}
      {chosen && page && (
        <div class="nested">
          {page.keys.filter(isUsable).map(({ key_id, name }) => (
            <label key={key_id} class="choice">
              <input
                type="checkbox"
                checked={chosen.includes(key_id)}
                onChange={({ currentTarget: { checked } }) =>
                  onChange(checked ? [...chosen, key_id] : chosen.filter((id) => id !== key_id))
                }
              />
              <span>
                {inLine(name)} <code class="soft">{short(key_id)}</code>
              </span>
            </label>
          ))}
          {page.total > page.count && <p class="hint">The newest {page.count} keys are shown.</p>}
        </div>
      )}
    </fieldset>
  );
}

function isUsable({ status }: KeyRecord): boolean {
  return status === 'active' || status === 'disabled';
}
