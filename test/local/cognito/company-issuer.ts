/** The OpenID provider of a company. It signs its only person in without a page. */
import { generateKeyPairSync } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { Provider } from 'oidc-provider';
import { createTokenRecords } from '#local/cognito/openid/records.ts';

export interface CompanyIssuer {
  callback: RequestListener;
  person: { sub: string; email: string; name: string; denied: boolean };
  /** The parameters of the authorization requests, in their order. */
  requests: Record<string, unknown>[];
}

export function createCompanyIssuer(issuer: string, redirectUri: string): CompanyIssuer {
  const person = { sub: '42', email: 'ada@acme.example', name: 'Ada', denied: false };
  const { adapter } = createTokenRecords({
    store: { state: { client_secrets: {}, users: [], records: {} }, save: () => {} },
    now: Date.now,
    rotationGraceSeconds: () => 0,
  });
  const provider: Provider = new Provider(issuer, {
    adapter,
    clients: [{ client_id: 'gateway', client_secret: 'company-secret', redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], email: ['email'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    findAccount: () => ({ accountId: person.sub, claims: () => ({ ...person }) }),
    interactions: { url: () => '/sign-in' },
    jwks: {
      keys: [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })],
    },
    async loadExistingGrant({ oidc }) {
      const { account, client, params } = oidc;
      const grant = new provider.Grant({ accountId: account?.accountId, clientId: client?.clientId });
      grant.addOIDCScope(String(params?.scope));
      await grant.save();
      return grant;
    },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
  });
  const requests: CompanyIssuer['requests'] = [];
  provider.use(async (ctx, next) => {
    if (ctx.path === '/auth') requests.push(ctx.query);
    if (ctx.path !== '/sign-in') return next();
    const result = person.denied
      ? { error: 'access_denied', error_description: 'the account is locked' }
      : { login: { accountId: person.sub } };
    ctx.redirect(await provider.interactionResult(ctx.req, ctx.res, result));
  });
  return { callback: provider.callback(), person, requests };
}
