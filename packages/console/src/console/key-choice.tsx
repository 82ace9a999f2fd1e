import { inLine } from '@eaas/protocol/internal';
import { type Signal, useSignal } from '@preact/signals';
import type { EaasClient } from '@eaas/sdk';
import { useLoaded } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { FieldError } from '../parts/field.tsx';
import { counted, short } from '../parts/short.ts';
import type { KeyRecord } from './key-status.tsx';

const pageSize = 100;

interface KeyChoiceProps {
  readonly client: EaasClient;
  readonly value: Signal<readonly string[] | null>;
  readonly onChange: (ids: readonly string[] | null) => void;
  /** Whether all keys is no choice. */
  readonly mustChoose?: boolean;
  readonly error?: string | undefined;
}

export function KeyChoice({ client, value, onChange, mustChoose = false, error }: KeyChoiceProps) {
  const pages = useSignal(1);
  const load = (signal: AbortSignal) => newestKeys(client, pages.value, signal);
  const { value: listed, failure, isLoading } = useLoaded(load, [pages.value]);
  const chosen = value.value;
  const usable = listed?.keys.filter(isUsable) ?? [];
  const unlisted = chosen?.filter((id) => usable.every(({ key_id }) => key_id !== id)) ?? [];
  return (
    <fieldset class="choices">
      <legend>Keys</legend>
      {!mustChoose && (
        <>
          <label class="choice">
            <input type="radio" name="keys" checked={chosen === null} onChange={() => onChange(null)} />
            <span>All keys, including keys that are created later</span>
          </label>
          <label class="choice">
            <input
              type="radio"
              name="keys"
              checked={chosen !== null}
              disabled={!listed || listed.total === 0}
              onChange={() => onChange([])}
            />
            <span>Only these</span>
          </label>
        </>
      )}
      {mustChoose && listed?.total === 0 && <p class="hint">The tenant has no key yet: create one first.</p>}
      {failure && <p class="hint">The keys cannot be listed here: {failure.detail}</p>}
      {chosen && listed && (
        <div class={mustChoose ? 'nested' : 'nested inset'}>
          {usable.map(({ key_id, name }) => (
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
          {unlisted.length > 0 && (
            <p class="hint">Also chosen: {counted(unlisted.length, 'key')} not in this list.</p>
          )}
          {listed.total > listed.keys.length && (
            <p class="hint">
              These are the newest {listed.keys.length} of {counted(listed.total, 'key')}.{' '}
              <Button kind="quiet" isBusy={isLoading} busyText="Loading" onClick={() => pages.value++}>
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
async function newestKeys(client: EaasClient, pages: number, signal: AbortSignal) {
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
