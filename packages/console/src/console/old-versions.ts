// Decides which old versions of a key are in use: those with a data key that was unwrapped within 30 days.
interface Versions {
  readonly key_version: number;
  readonly versions: readonly { readonly key_version: number; readonly last_unwrap_at: string | null }[];
}

const month = 30 * 86_400_000;

export function oldVersionsInUse({ key_version: newest, versions }: Versions, now = Date.now()): number[] {
  return versions
    .filter(({ key_version }) => key_version < newest)
    .filter(({ last_unwrap_at: last }) => last !== null && now - Date.parse(last) < month)
    .map(({ key_version }) => key_version);
}
