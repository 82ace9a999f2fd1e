interface Response {
  readonly bytes: number;
  cut(): void;
}

interface Tenant {
  bytes: number;
  /** The unread responses of the tenant, from the oldest to the newest. */
  readonly responses: Set<Response>;
}

/**
 * Limits the memory of responses that clients have not read yet. A tenant can use half of the capacity that the other
 * tenants leave. Above this limit, the tenant's oldest responses are stopped, but never the newest one.
 */
export class Unread {
  readonly #capacity: number;
  readonly #tenants = new Map<string, Tenant>();
  #held = 0;
  #cut = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get counts(): { readonly held: number; readonly waiting: number; readonly refused: number } {
    return { held: this.#held, waiting: 0, refused: this.#cut };
  }

  /**
   * Counts a response as unread, and returns a function that releases the bytes of this response. The caller must call
   * the returned function when the client has read the response or has disconnected.
   */
  hold(tenantId: string, bytes: number, cut: () => void): () => void {
    const tenant = this.#tenants.get(tenantId) ?? { bytes: 0, responses: new Set() };
    this.#tenants.set(tenantId, tenant);
    const response = { bytes, cut };
    tenant.responses.add(response);
    tenant.bytes += bytes;
    this.#held += bytes;
    for (const oldest of tenant.responses) {
      const others = this.#held - tenant.bytes;
      if (oldest === response || tenant.bytes <= (this.#capacity - others) / 2) break;
      this.#release(tenantId, tenant, oldest);
      this.#cut++;
      oldest.cut();
    }
    return () => this.#release(tenantId, tenant, response);
  }

  #release(tenantId: string, tenant: Tenant, response: Response): void {
    if (!tenant.responses.delete(response)) return;
    tenant.bytes -= response.bytes;
    this.#held -= response.bytes;
    if (tenant.responses.size === 0) this.#tenants.delete(tenantId);
  }
}
