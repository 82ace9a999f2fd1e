/**
 * Lets the event loop handle other events. Uses a message instead of a timer for two reasons. Browsers delay repeated
 * timers by 4 ms, and a fake timer of a test might never fire.
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
