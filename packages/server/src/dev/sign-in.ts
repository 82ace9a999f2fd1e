import { randomBytes } from 'node:crypto';
import { sameBytes } from '../crypto/same-bytes.ts';
import { Refusal } from '../refusal.ts';

const lifetime = 10 * 60_000;

export class SignInCode {
  readonly text = randomBytes(32).toString('base64url');
  readonly #now: () => number;
  readonly #expiresAt: number;
  #isUsed = false;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#expiresAt = now() + lifetime;
  }

  async exchange<T>(code: string, open: () => Promise<T>): Promise<T> {
    const isRight = sameBytes(Buffer.from(code), Buffer.from(this.text));
    if (!isRight || this.#isUsed || this.#now() >= this.#expiresAt) {
      throw new Refusal(
        'unauthorized',
        'The sign-in code is wrong, was already used or has expired. Start `eaas dev` again for a new code, or sign in with an API key.',
      );
    }
    this.#isUsed = true;
    try {
      return await open();
    } catch (error) {
      this.#isUsed = false;
      throw error;
    }
  }
}
