import { afterAll, onTestFinished, TestRunner } from 'vitest';

/**
 * Opens something, and closes it after the test, or outside of a test after all tests of the file. What was opened last
 * is closed first.
 */
export async function closing<T>(opening: T, close: (opened: Awaited<T>) => unknown): Promise<Awaited<T>> {
  const opened = await opening;
  const end = async (): Promise<void> => void (await close(opened));
  if (TestRunner.getCurrentTest()) onTestFinished(end);
  else afterAll(end);
  return opened;
}
