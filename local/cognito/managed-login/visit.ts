/** A request for a page of managed login, and its response. */
import type { JsonObject } from '#local/untyped-json.ts';
import { CognitoError } from '../cognito-error.ts';
import type { User } from '../directory/state.ts';
import type { Federation } from '../openid/federation.ts';
import type { ClientSettings } from '../settings/client.ts';
import type { UserPool } from '../user-pool.ts';
import type { SignInAttempt } from './attempts.ts';
import type { Html } from './pages/html.ts';

export interface Visit {
  pool: UserPool;
  client: ClientSettings;
  /** Parameters of the authorization request. */
  parameters: JsonObject;
  attempt: SignInAttempt;
  federation: Federation;
  /** The URL of this request. */
  url: URL;
  /** Returns a field of the submitted form without surrounding space, and an empty string when it is missing. */
  field(name: string): string;
  /** The submitted JSON. */
  body: unknown;
  /** Both return the URL at which the authorization request continues. */
  signIn(user: User): Promise<string>;
  refuse(error: { code: string; description: string }): Promise<string>;
}

export type PageResponse =
  | { kind: 'page'; page: Html; status?: number }
  | { kind: 'redirect'; url: string }
  | { kind: 'json'; body: unknown };

export type PageHandler = (visit: Visit) => PageResponse | Promise<PageResponse>;

export function show(page: Html): PageResponse {
  return { kind: 'page', page };
}

export function redirect(url: string): PageResponse {
  return { kind: 'redirect', url };
}

/** Shows a page with the error when the user pool refuses what was entered. */
export async function orShowError(
  action: () => PageResponse | Promise<PageResponse>,
  errorPage: (error: CognitoError) => Html,
): Promise<PageResponse> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof CognitoError)) throw error;
    return { kind: 'page', page: errorPage(error), status: 400 };
  }
}

/** Returns the notice for the page, once. */
export function takeNotice(attempt: SignInAttempt): string | undefined {
  const { notice } = attempt;
  attempt.notice = undefined;
  return notice;
}
