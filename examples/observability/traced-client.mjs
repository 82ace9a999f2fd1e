// Encrypts a field in a span of the application. The spans of the server become parts of the same trace.
import { context, propagation, trace } from '@opentelemetry/api';
import { EaasClient } from '@eaas/sdk';

const eaas = new EaasClient({
  fetch: (input, init) => {
    const request = new Request(input, init);
    propagation.inject(context.active(), request.headers, { set: (to, name, value) => to.set(name, value) });
    return fetch(request);
  },
});

await trace.getTracer('example').startActiveSpan('save a patient', async (span) => {
  const { ciphertext } = await eaas.encrypt('ada@example.com');
  console.log(`Trace ${span.spanContext().traceId} encrypted ${ciphertext.slice(0, 20)}…`);
  span.end();
});
