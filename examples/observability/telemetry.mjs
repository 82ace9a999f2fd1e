// Registers OpenTelemetry before the server starts. The variables OTEL_* choose the exporters.
import { NodeSDK } from '@opentelemetry/sdk-node';

const sdk = new NodeSDK({ instrumentations: [] });
sdk.start();

let stopping;
const stop = () => {
  stopping ??= sdk.shutdown().catch((error) => console.error(error));
};
process.once('SIGTERM', stop);
process.once('beforeExit', stop);
