/**
 * Lets the event loop handle other events. Uses a message instead of a timer, because browsers delay repeated timers by
 * 4 ms, and tests can replace timers.
 */
export function nextTurn(): Promise<void> {
  if (typeof MessageChannel !== 'function') return new Promise((resolve) => setTimeout(resolve));
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.addEventListener('message', () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(null);
  });
}
