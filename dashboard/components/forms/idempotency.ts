import { useState } from 'react';

/** The id of a submission, by which the API knows a repetition: after a lost response, there is still one effect. */
export class IdempotencyKey {
  #id = crypto.randomUUID();

  /** Sends the submission with its id. A failed one keeps the id for the next try. */
  async send<Result>(call: (idempotencyKey: string) => Promise<Result>): Promise<Result> {
    const result = await call(this.#id);
    this.renew();
    return result;
  }

  /** Begins another submission. */
  renew(): void {
    this.#id = crypto.randomUUID();
  }
}

/** The id of what a form submits. A form that is opened again has another one. */
export function useIdempotencyKey(): IdempotencyKey {
  const [key] = useState(() => new IdempotencyKey());
  return key;
}
