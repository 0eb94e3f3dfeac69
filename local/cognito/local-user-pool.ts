import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import type { AwsCall } from '../aws/call.ts';
import { handleApiCall } from './api/handle.ts';
import { createCodes } from './directory/codes.ts';
import { openStateStore, type StateStore } from './directory/state.ts';
import { createUsers, emailOf, subOf } from './directory/users.ts';
import { createMailbox, type Mailbox } from './mailbox.ts';
import { createSignInAttempts } from './managed-login/attempts.ts';
import { createSignInUrl } from './managed-login/company-sign-in.ts';
import { respondWithPage } from './managed-login/http-context.ts';
import { errorPage } from './managed-login/pages/error.ts';
import { serveManagedLogin } from './managed-login/routes.ts';
import { createFederation } from './openid/federation.ts';
import { createOpenIdProvider, paths } from './openid/provider.ts';
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
  const attempts = createSignInAttempts();
  const federation = createFederation({
    redirectUri: `${options.signInOrigin}${paths.identityProviderResponse}`,
    clientSecret: options.identityProviderSecret,
  });
  const provider = createOpenIdProvider(pool, {
    signInUrl: createSignInUrl({ pool, federation, attempts }),
    renderError: (ctx, { error, error_description: description }) => {
      const code = error === 'invalid_redirect_uri' ? 'redirect_mismatch' : error;
      respondWithPage(ctx, errorPage({ code, message: description ?? error }), ctx.status);
    },
  });
  serveManagedLogin({ pool, provider, federation, attempts });
  return {
    listener: provider.callback(),
    handle: async (call) => handleApiCall(pool, call),
    mailbox: pool.mailbox,
    stop: async () => {},
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
      await options.onSignUp?.({ id: subOf(user), email: emailOf(user).toLowerCase(), name });
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
