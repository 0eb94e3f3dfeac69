import { useState } from 'react';
import { ApiError } from '#dashboard/api/client.ts';

/** The id of a submission, by which the API knows a repetition: after a lost response, there is still one effect. */
export class IdempotencyKey {
  #id = crypto.randomUUID();

  /** Sends the submission with its id. The next try has the same one, unless this has succeeded or is in conflict. */
  async send<Result>(call: (idempotencyKey: string) => Promise<Result>): Promise<Result> {
    try {
      const result = await call(this.#id);
      this.#renew();
      return result;
    } catch (error) {
      // The user has been told that an earlier try had an effect: another one is meant.
      if (error instanceof ApiError && error.status === 409) this.#renew();
      throw error;
    }
  }

  #renew(): void {
    this.#id = crypto.randomUUID();
  }
}

/** The id of what a form submits. A form that is opened again has another one. */
export function useIdempotencyKey(): IdempotencyKey {
  const [key] = useState(() => new IdempotencyKey());
  return key;
}
