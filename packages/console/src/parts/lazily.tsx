// Loads a page or a dialog when it is first shown, and again after a failure.
import type { ComponentType } from 'preact';
import { FailureView, Loading } from './states.tsx';
import { useLoaded } from '../load.ts';

export function lazily<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loading: Promise<ComponentType<Props>> | undefined;
  return function Lazy(props: Props) {
    const {
      value: View,
      failure,
      reload,
    } = useLoaded(() => {
      loading ??= load().catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      return loading;
    }, []);
    if (failure) return <FailureView failure={failure} onRetry={reload} />;
    return View ? <View {...props} /> : <Loading text="Loading" />;
  };
}
