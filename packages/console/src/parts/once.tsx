// Waits for loaded data, so that no page handles loading and failure itself.
import type { Permission } from '@eaas/protocol/wire';
import type { ComponentChildren } from 'preact';
import type { Loaded } from '../load.ts';
import { FailureView, Loading } from './states.tsx';

interface OnceProps<T> {
  readonly loaded: Loaded<T>;
  /** What a user reads meanwhile. */
  readonly text: string;
  readonly needs: Permission;
  readonly to?: string;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows what was loaded, or that it is loading, or why it cannot be. */
export function Once<T>({ loaded: { value, failure, reload }, text, children, ...lacking }: OnceProps<T>) {
  if (failure) return <FailureView {...lacking} failure={failure} onRetry={reload} />;
  return value === undefined ? <Loading text={text} /> : <>{children(value)}</>;
}
