import { limits } from '@eaas/protocol/wire';
import { jsonHtml } from './html.ts';

const MiB = 1024 * 1024;
const problem = {
  type: 'about:blank',
  title: 'Not Found',
  status: 404,
  detail: 'Key not found: give the key_id that POST /v1/keys returned, never the name.',
  code: 'not_found',
};

/** What holds for every call. */
export const introduction = `<h1>API reference</h1>
<p class="lead">Keys, encryption, searchable hashes and an immutable audit log, as JSON over HTTPS.</p>
<section class="prose" id="authentication"><h3>Authentication</h3>
<p>Every call under <code>/v1</code> carries an API key. The examples take the service’s address and the API key from the environment:</p>
<pre><code>export EAAS_BASE_URL=https://eaas.example
export EAAS_API_KEY=eaas_sk_…

curl "$EAAS_BASE_URL/v1/keys" -H "Authorization: Bearer $EAAS_API_KEY"</code></pre>
<p>An API key that is absent, unknown, expired or revoked is 401; one without the permission is 403.</p></section>
<section class="prose" id="conventions"><h3>Conventions</h3>
<p>Bodies are JSON in UTF-8. A field or query parameter that a call does not know is 400 and never ignored; so is one that stands twice.
Calls without body fields take no body. Bytes are standard base64 with padding; times are RFC 3339 in UTC; ids are UUIDs.</p>
<p>A key goes by its <code>key_id</code>. A name in its place is 404.</p>
<p>A body has at most ${limits.body / MiB} MiB, of a batch ${limits.batchBody / MiB} MiB; a text to encrypt or hash ${limits.text.toLocaleString('en')} bytes.
There is no rate limit; encryptions may have a monthly quota.</p>
<p>Every answer has an <code>X-Request-Id</code>, which is also in the service’s log. Errors are problem documents; <a href="#problems">their codes</a> are stable:</p>
<pre><code>${jsonHtml(problem)}</code></pre></section>`;
