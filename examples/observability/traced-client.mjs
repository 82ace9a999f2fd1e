// Encrypts a field in a span of the application. The spans of the client and of the server become parts of the same trace.
import { context, propagation, trace } from '@opentelemetry/api';
import { EaasClient } from '@eaas/sdk';
import { tracingWith } from '@eaas/sdk/tracing';

const unset = ['EAAS_BASE_URL', 'EAAS_API_KEY', 'EAAS_KEY_ID'].filter((name) => !process.env[name]);
if (unset.length > 0) {
  console.error(`${unset.join(', ')} must be set (got no value): use the command in README.md`);
  process.exit(2);
}

const tracer = trace.getTracer('example');
const eaas = new EaasClient({
  tracing: tracingWith(tracer),
  fetch: (input, init) => {
    const request = new Request(input, init);
    propagation.inject(context.active(), request.headers, { set: (to, name, value) => to.set(name, value) });
    return fetch(request);
  },
});

await tracer.startActiveSpan('save a patient', async (span) => {
  const ciphertext = await eaas.encrypt('ada@example.com');
  console.log(`Trace ${span.spanContext().traceId} encrypted ${ciphertext.slice(0, 20)}…`);
  span.end();
});
