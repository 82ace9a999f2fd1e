export function oncePer<T>(milliseconds: number, work: () => Promise<T>): () => Promise<T> {
  let startedAt = Number.NEGATIVE_INFINITY;
  let isRunning = false;
  let latest: Promise<T>;
  const run = async (): Promise<T> => {
    try {
      return await work();
    } finally {
      isRunning = false;
    }
  };
  return () => {
    if (!isRunning && performance.now() - startedAt >= milliseconds) {
      startedAt = performance.now();
      isRunning = true;
      latest = run();
    }
    return latest;
  };
}
