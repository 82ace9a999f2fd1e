let most = 0;
const timer = setInterval(() => {
  globalThis.gc();
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  most = Math.max(most, arrayBuffers + heapUsed);
}, 100);
timer.unref();
process.once('exit', () => process.stderr.write(`${JSON.stringify({ most })}\n`));
