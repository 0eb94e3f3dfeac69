import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { lazy } from '#lambdas/platform/lazy.ts';
import type { AwsCall } from '../aws/call.ts';
import { messageOf } from '../local-gateway-error.ts';
import { handleApiCall } from './api/handle.ts';
import { createCodes } from './directory/codes.ts';
import { openStateStore, type StateStore } from './directory/state.ts';
import { createUsers, emailOf, subOf } from './directory/users.ts';
import { createMailbox, type Mailbox } from './mailbox.ts';
import { createTokenRecords } from './openid/records.ts';
import { openSigningKey } from './openid/signing-key.ts';
import type { ClientSettings } from './settings/client.ts';
import type { UserPoolSettings } from './settings/user-pool.ts';
import { createTriggers } from './triggers.ts';
import type { UserPool } from './user-pool.ts';

export interface LocalUserPool {
  /** Serves managed login, the OpenID provider and the mail page on the sign-in listener. */
  listener: RequestListener;
  /** Serves calls with the target AWSCognitoIdentityProviderService. */
  handle(call: AwsCall): Promise<void>;
  mailbox: Mailbox;
  stop(): Promise<void>;
}

export interface UserPoolOptions {
  /** Where the listener is reached, such as `http://localhost:3003`. Also the issuer of the tokens. */
  signInOrigin: string;
  /** Users, keys and tokens are kept in the file `user-pool.json` there; in memory when it is `undefined`. */
  storeDirectory: string | undefined;
  /** Client secret of the company's identity provider. */
  identityProviderSecret: string | undefined;
  /** Rejects with the error of the function. */
  invokeTrigger(functionArn: string, event: unknown): Promise<unknown>;
  /** Called for each new account when its address is confirmed, before its first sign-in ends. */
  onSignUp?(user: { id: string; email: string; name: string | null }): Promise<void>;
  log(line: string): void;
  /** Milliseconds since 1970. */
  now?(): number;
}

export function createLocalUserPool(settings: UserPoolSettings, options: UserPoolOptions): LocalUserPool {
  const pool = createUserPool(settings, options);
  for (const { name, type } of settings.identityProviders.filter(({ type }) => type !== 'OIDC')) {
    options.log(`sign-in: the local run does not emulate ${name}, an identity provider with ${type}`);
  }
  return {
    listener: lazyListener(pool, options.identityProviderSecret),
    handle: async (call) => handleApiCall(pool, call),
    mailbox: pool.mailbox,
    stop: async () => {},
  };
}

/** Loads the libraries of the sign-in with the first request: they need 20 MB, and a third of a second. */
function lazyListener(pool: UserPool, identityProviderSecret: string | undefined): RequestListener {
  const load = lazy(async () => {
    const { createSignInListener } = await import('./sign-in.ts');
    return createSignInListener(pool, identityProviderSecret);
  });
  return (request, response) => {
    load().then(
      (listener) => listener(request, response),
      (error: unknown) => {
        pool.log(`sign-in: ${messageOf(error)}`);
        response.writeHead(500).end();
      },
    );
  };
}

function createUserPool(settings: UserPoolSettings, options: UserPoolOptions): UserPool {
  const { signInOrigin, storeDirectory, log, now = Date.now } = options;
  const store = openStateStore(storeDirectory && join(storeDirectory, 'user-pool.json'));
  const users = createUsers(store, now);
  const mailbox = createMailbox({ url: `${signInOrigin}/mail`, now, log });
  const rotationGraceSeconds = (clientId: string) =>
    settings.clients.find(({ id }) => id === clientId)?.rotationGraceSeconds ?? 0;
  return {
    settings,
    signInOrigin,
    users,
    codes: createCodes({ users, mailbox, settings, now }),
    mailbox,
    triggers: createTriggers(settings, options.invokeTrigger),
    async announceSignUp(user) {
      const { name = null } = user.attributes;
      await options.onSignUp?.({ id: subOf(user), email: emailOf(user), name });
    },
    tokens: createTokenRecords({ store, now, rotationGraceSeconds }),
    signingKey: openSigningKey(store),
    clientSecrets: ensureClientSecrets(store, settings.clients),
    now,
    log,
  };
}

/** Secrets stay the same between runs, as functions may have stored them. */
function ensureClientSecrets(
  { state, save }: StateStore,
  clients: readonly ClientSettings[],
): Record<string, string> {
  for (const { id } of clients.filter(({ hasSecret }) => hasSecret)) {
    state.client_secrets[id] ??= randomBytes(32).toString('hex');
  }
  save();
  return state.client_secrets;
}
