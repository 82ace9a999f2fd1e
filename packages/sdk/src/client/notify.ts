/**
 * Calls a listener of the app with an event. Ignores errors of the listener: otherwise an error would fail the call, or
 * end the process as an unhandled rejection.
 */
export function notify<T>(listener: ((event: T) => unknown) | undefined, event: T): void {
  (async () => listener?.(event))().catch(() => undefined);
}
