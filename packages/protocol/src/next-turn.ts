/**
 * Lets the event loop handle other events. Uses a message instead of a timer for two reasons. Browsers delay repeated
 * timers by 4 ms, and a fake timer of a test might never fire.
 */
export function nextTurn(): Promise<void> {
  let channel: MessageChannel;
  try {
    channel = new MessageChannel();
  } catch {
    // There is none, or one that throws, as in the edge runtime of Next.js.
    return new Promise((resolve) => setTimeout(resolve));
  }
  const { port1, port2 } = channel;
  return new Promise((resolve) => {
    port1.addEventListener('message', () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(null);
  });
}
