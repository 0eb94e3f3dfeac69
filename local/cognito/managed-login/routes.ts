/** Serves the pages of managed login, in front of oidc-provider. */
import { readFileSync } from 'node:fs';
import { errors, type Provider } from 'oidc-provider';
import { CognitoError } from '../cognito-error.ts';
import { subOf } from '../directory/users.ts';
import type { Federation } from '../openid/federation.ts';
import { paths } from '../openid/provider.ts';
import { describeProvider, describeUserInfo } from '../openid/public-endpoints.ts';
import { findClient, type UserPool } from '../user-pool.ts';
import type { SignInAttempts } from './attempts.ts';
import { receiveIdentityProviderResponse } from './company-sign-in.ts';
import { type HttpContext, type Page, readSubmission, respond, type Submission } from './http-context.ts';
import { localSignInPath, showLocalSignIn, submitLocalSignIn } from './local-sign-in.ts';
import { showMfa, showMfaSetUp, submitMfa, submitMfaSetUp } from './mfa.ts';
import { errorPage, type PageError } from './pages/error.ts';
import { mailboxPage } from './pages/mailbox.ts';
import { createSignInOptions, submitSignInPasskey } from './passkey-sign-in.ts';
import { showForgotPassword, showNewPassword, submitForgotPassword, submitNewPassword } from './recovery.ts';
import { createSessionPages, endSession } from './sessions.ts';
import { showSignIn, submitSignIn } from './sign-in.ts';
import { resendCode, showConfirmation, showSignUp, submitConfirmation, submitSignUp } from './sign-up.ts';
import { type PageHandler, type PageResponse, show, type Visit } from './visit.ts';

/** Pages of a sign-in in progress, which a cookie identifies. */
const signInPages: Record<string, PageHandler> = {
  [`GET ${localSignInPath}`]: showLocalSignIn,
  [`POST ${localSignInPath}`]: submitLocalSignIn,
  'GET /login': showSignIn,
  'POST /login': submitSignIn,
  'POST /login/passkey/options': createSignInOptions,
  'POST /login/passkey': submitSignInPasskey,
  'GET /signup': showSignUp,
  'POST /signup': submitSignUp,
  'GET /confirm': showConfirmation,
  'POST /confirm': submitConfirmation,
  'POST /resendCode': resendCode,
  'GET /forgotPassword': showForgotPassword,
  'POST /forgotPassword': submitForgotPassword,
  'GET /confirmForgotPassword': showNewPassword,
  'POST /confirmForgotPassword': submitNewPassword,
  'GET /mfa': showMfa,
  'POST /mfa': submitMfa,
  'GET /mfa/setup': showMfaSetUp,
  'POST /mfa/setup': submitMfaSetUp,
  [`GET ${paths.identityProviderResponse}`]: receiveIdentityProviderResponse,
};

function mapValues<Value, Result>(
  record: Record<string, Value>,
  map: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

const assets: Record<string, { type: string; content: string }> = {
  'GET /assets/style.css': { type: 'css', content: readAsset('style.css') },
  'GET /assets/passkey.js': { type: 'js', content: readAsset('passkey.js') },
};

function readAsset(name: string): string {
  return readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8');
}

export function serveManagedLogin(options: {
  pool: UserPool;
  provider: Provider;
  federation: Federation;
  attempts: SignInAttempts;
}): void {
  const { pool, provider, federation, attempts } = options;
  const pages: Record<string, Page> = {
    ...mapValues(signInPages, (page) => async (ctx, submission) => page(await openVisit(ctx, submission))),
    ...createSessionPages(pool, provider),
    'GET /mail': () => show(mailboxPage(pool.mailbox.messages())),
    [`GET ${paths.discovery}`]: () => ({ kind: 'json', body: describeProvider(pool) }),
  };

  provider.use(async (ctx, next) => {
    const route = `${ctx.method} ${ctx.path}`;
    if (isAuthorizationRequest(ctx)) return prepareAuthorization(ctx, next);
    if (ctx.path === paths.userInfo) {
      const { status, body } = describeUserInfo(pool, ctx.get('authorization'));
      Object.assign(ctx, { status, body });
      return;
    }
    const asset = assets[route];
    if (asset !== undefined) {
      ctx.type = asset.type;
      ctx.body = asset.content;
      return;
    }
    const page = pages[route];
    if (page === undefined) return next();
    await respondOrExplain(ctx, async () => {
      assertSameOrigin(ctx);
      return page(ctx, await readSubmission(ctx));
    });
  });

  async function respondOrExplain(ctx: HttpContext, handle: () => Promise<PageResponse>): Promise<void> {
    try {
      respond(ctx, await handle());
    } catch (error) {
      const failure = explain(error, pool.settings.clients[0]?.logoutUrls[0]);
      if (ctx.is('application/json')) {
        ctx.status = 400;
        ctx.body = { message: failure.message };
      } else respond(ctx, { kind: 'page', page: errorPage(failure), status: 400 });
    }
  }

  /** `/login` and `/signup` take the parameters of `/oauth2/authorize`, but show their page even to those signed in. */
  async function prepareAuthorization(ctx: HttpContext, next: () => Promise<void>): Promise<void> {
    if (ctx.path !== paths.authorize) ctx.query = { ...ctx.query, screen: ctx.path.slice(1) };
    ctx.path = paths.authorize;
    await next();
  }

  /** Rejects with `SessionNotFound` when no sign-in is in progress. */
  async function openVisit(ctx: HttpContext, { form, json }: Submission): Promise<Visit> {
    const { uid, params } = await provider.interactionDetails(ctx.req, ctx.res);
    const finish = (result: Parameters<typeof provider.interactionResult>[2]) => {
      attempts.remove(uid);
      return provider.interactionResult(ctx.req, ctx.res, result, { mergeWithLastSubmission: false });
    };
    return {
      pool,
      client: findClient(pool, String(params.client_id)),
      parameters: params,
      attempt: attempts.get(uid),
      federation,
      url: new URL(ctx.url, pool.signInOrigin),
      field: (name) => form.get(name)?.trim() ?? '',
      body: json,
      async signIn(user) {
        // The new session takes the place of one that this browser may have, perhaps another person's.
        await endSession(provider, ctx);
        return finish({ login: { accountId: subOf(user), ts: Math.floor(pool.now() / 1000) } });
      },
      refuse: ({ code, description }) => finish({ error: code, error_description: description }),
    };
  }

  /** Browsers send `origin` with each POST, so that other sites cannot submit forms. */
  function assertSameOrigin(ctx: HttpContext): void {
    if (ctx.method === 'POST' && ctx.get('origin') !== pool.signInOrigin) {
      throw new CognitoError('NotAuthorizedException', 'The request comes from another site.');
    }
  }
}

function isAuthorizationRequest({ method, path, query }: HttpContext): boolean {
  if (path === paths.authorize) return true;
  return method === 'GET' && (path === '/login' || path === '/signup') && query.client_id !== undefined;
}

/** Rethrows errors that are not the fault of the request. */
function explain(error: unknown, appUrl: string | undefined): PageError {
  if (error instanceof errors.SessionNotFound) {
    const message = 'This sign-in is over, or has expired. Go back to the app and sign in again.';
    return { code: 'session_expired', message, appUrl };
  }
  if (error instanceof CognitoError) return { code: error.type, message: error.message };
  throw error;
}
