// The field that limits a record to some keys. Chosen keys that the list does not show stay chosen.
import { inLine } from '@eaas/protocol/internal';
import { useSignal } from '@preact/signals';
import { useLoaded } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { Check, FieldError, Radios } from '../parts/field.tsx';
import type { FieldProps } from '../parts/form.ts';
import { counted, short } from '../parts/texts.ts';
import { signedIn } from '../session.ts';
import type { KeyRecord } from '@eaas/sdk';

const pageSize = 100;

export interface KeyChoiceProps extends Pick<FieldProps<readonly string[] | null>, 'value' | 'error'> {
  /** Whether all keys is no choice. */
  readonly mustChoose: boolean;
}

export function KeyChoice({ value, error, mustChoose }: KeyChoiceProps) {
  const pages = useSignal(1);
  const load = (signal: AbortSignal) => newestKeys(pages.value, signal);
  const { value: listed, failure, isLoading } = useLoaded(load, [pages.value]);
  const chosen = value.value;
  const usable = listed?.keys.filter(isUsable) ?? [];
  const unlisted = chosen?.filter((id) => usable.every(({ key_id }) => key_id !== id)) ?? [];
  const isLimited = {
    get value() {
      return chosen !== null;
    },
    set value(next) {
      value.value = next ? [] : null;
    },
  };
  return (
    <fieldset>
      <legend>Keys</legend>
      {!mustChoose && (
        <Radios
          name="keys"
          value={isLimited}
          isDisabled={!listed || listed.total === 0}
          options={[
            [false, 'All keys, including keys that are created later'],
            [true, 'Only these'],
          ]}
        />
      )}
      {mustChoose && listed?.total === 0 && (
        <p class="soft small">The tenant has no key yet: create one first.</p>
      )}
      {failure && <p class="soft small">The keys cannot be listed here: {failure.detail}</p>}
      {chosen && listed && (
        <div class="stack nested">
          {usable.map(({ key_id, name }) => (
            <Check
              key={key_id}
              isChecked={chosen.includes(key_id)}
              onChange={(isChecked) => {
                value.value = isChecked ? [...chosen, key_id] : chosen.filter((id) => id !== key_id);
              }}
            >
              {inLine(name)} <code class="soft">{short(key_id)}</code>
            </Check>
          ))}
          {unlisted.length > 0 && (
            <p class="soft small">Also chosen: {counted(unlisted.length, 'key')} not in this list.</p>
          )}
          {listed.total > listed.keys.length && (
            <p class="soft small">
              These are the newest {listed.keys.length} of {counted(listed.total, 'key')}.{' '}
              <Button kind="quiet" isBusy={isLoading} onClick={() => pages.value++}>
                Show more
              </Button>
            </p>
          )}
        </div>
      )}
      <FieldError error={error} />
    </fieldset>
  );
}

/** Loads all pages again, because each new key moves older keys to later pages. */
async function newestKeys(pages: number, signal: AbortSignal) {
  const { client } = signedIn();
  const offsets = Array.from({ length: pages }, (_, page) => page * pageSize);
  const loaded = await Promise.all(
    offsets.map((offset) => client.keys.page({ limit: pageSize, offset }, { signal })),
  );
  const keys = new Map(loaded.flatMap((page) => page.keys.map((key) => [key.key_id, key])));
  return { keys: [...keys.values()], total: loaded[0]?.total ?? 0 };
}

function isUsable({ status }: KeyRecord): boolean {
  return status === 'active' || status === 'disabled';
}
