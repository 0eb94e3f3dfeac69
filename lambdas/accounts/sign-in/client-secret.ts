/** The secret of the user pool's client, read from Cognito: the stack stores no copy of it. */
import { lazy } from '#lambdas/platform/lazy.ts';

export interface ClientSecret {
  /** Reads the secret once; a failure is not kept. */
  read(): Promise<string>;
  /** Makes the next `read` ask Cognito again, because the secret was rotated. */
  forget(): void;
}

export function createClientSecret(load: () => Promise<string>): ClientSecret {
  let read = lazy(load);
  return {
    read: () => read(),
    forget() {
      read = lazy(load);
    },
  };
}
