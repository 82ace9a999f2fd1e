import type { ComponentType } from 'preact';
import { Loading } from './states.tsx';
import { useLoaded } from '../load.ts';
import { FailureView } from './states.tsx';

export function lazily<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loading: Promise<ComponentType<Props>> | undefined;
  return function Lazy(props: Props) {
    const { value, failure, reload } = useLoaded(async () => {
      loading ??= load().catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      // Wraps the component in an object, because `useLoaded` would call a function that it stores.
      return { View: await loading };
    }, []);
    if (failure) return <FailureView failure={failure} onRetry={reload} />;
    return value ? <value.View {...props} /> : <Loading text="Loading" />;
  };
}
