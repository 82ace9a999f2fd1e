// Registers OpenTelemetry before the server starts. The variables OTEL_* choose the exporters.
import { NodeSDK } from '@opentelemetry/sdk-node';

const sdk = new NodeSDK({ instrumentations: [] });
sdk.start();

let isStopped = false;
async function stop() {
  if (isStopped) return;
  isStopped = true;
  await sdk.shutdown();
}
process.once('SIGTERM', stop);
process.once('beforeExit', stop);
