/** Replaces the server's tracing code in the program that `untracedProgram` builds. */
export const connectTelemetry = async (): Promise<void> => {};
export const telemetry = (): undefined => undefined;
export const noteError = (): void => {};
export const beginSpan = (): undefined => undefined;
export const traced = <T>(_: string, work: () => T): T => work();
export const tracedJob = traced;
export const tracedTogether = <T>(_: string, _items: unknown, work: () => T): T => work();
export const durationBounds = [0.001, 0.01, 0.1, 1];
export const bridgeMetrics = async (): Promise<void> => {};
