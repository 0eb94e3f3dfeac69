import { describe, expect, it, onTestFinished } from 'vitest';
import { openLocalhostListener } from '#local/http/listener.ts';
import { createCompanyIssuer } from './company-issuer.ts';
import { createAuthorizationRequest, exchangeCode, startPool, type TriggerEvent } from './fixture-pool.ts';
import { dashboard } from './fixture-template.ts';
import { createVisitor } from './visitor.ts';

describe('Company sign-in', () => {
  it.each(['identity_provider=Acme', 'idp_identifier=acme.example'])(
    'leads to the company and back with %s',
    async (parameter) => {
      const { fixture } = await startPoolWithCompany();
      const parameters = Object.fromEntries(new URLSearchParams(parameter));
      const visitor = createVisitor();
      const request = await createAuthorizationRequest(fixture, parameters);
      const end = await visitor.open(request.url);
      const claims = (await exchangeCode(fixture, end.url, request)).claims();

      expect(claims).toMatchObject({
        'cognito:username': 'Acme_42',
        email: 'ada@acme.example',
        email_verified: false,
        name: 'Ada',
        identities: [
          { userId: '42', providerName: 'Acme', providerType: 'OIDC', issuer: null, primary: 'true' },
        ],
      });
      expect(claims?.sub).not.toBe('42');
      expect(fixture.events).toMatchObject([
        {
          triggerSource: 'PreSignUp_ExternalProvider',
          userName: 'Acme_42',
          request: {
            userAttributes: {
              'cognito:email_alias': '',
              'cognito:phone_number_alias': '',
              email: 'ada@acme.example',
              email_verified: 'false',
              name: 'Ada',
            },
          },
        },
      ]);
    },
  );

  it('updates the attributes of a known person, without the trigger', async () => {
    const { fixture, person } = await startPoolWithCompany();
    const visitor = createVisitor();
    const parameters = { identity_provider: 'Acme' };
    const first = await createAuthorizationRequest(fixture, parameters);
    const created = await exchangeCode(fixture, (await visitor.open(first.url)).url, first);
    person.email = 'countess@acme.example';
    const second = await createAuthorizationRequest(fixture, parameters);
    const updated = await exchangeCode(fixture, (await visitor.open(second.url)).url, second);

    expect(updated.claims()?.sub).toBe(created.claims()?.sub);
    expect(updated.claims()?.email).toBe('countess@acme.example');
    expect(fixture.events).toHaveLength(1);
  });

  it('begins with a button of the sign-in page', async () => {
    const { fixture } = await startPoolWithCompany();
    const visitor = createVisitor();
    const request = await createAuthorizationRequest(fixture);
    const page = await visitor.open(request.url);
    const href = /href="([^"]+)">Continue with Acme/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const end = await visitor.open(href);

    expect((await exchangeCode(fixture, end.url, request)).claims()?.email).toBe('ada@acme.example');
  });

  it('tells the client why the trigger refuses', async () => {
    const trigger = ({ request }: TriggerEvent) => {
      throw new Error(`${request.userAttributes.email} is not of this company`);
    };
    const { fixture } = await startPoolWithCompany(trigger);
    const { url, state } = await createAuthorizationRequest(fixture, { identity_provider: 'Acme' });
    const end = await createVisitor().open(url);

    expect(end.url.href).toContain(dashboard.callback);
    expect(Object.fromEntries(end.url.searchParams)).toMatchObject({
      error: 'invalid_request',
      error_description: 'PreSignUp failed with error ada@acme.example is not of this company.',
      state,
    });
  });

  it('tells the client that the company refuses', async () => {
    const { fixture, person } = await startPoolWithCompany();
    person.denied = true;
    const { url } = await createAuthorizationRequest(fixture, { identity_provider: 'Acme' });
    const end = await createVisitor().open(url);

    expect(end.url.searchParams.get('error_description')).toBe(
      'The sign-in at Acme failed: the account is locked',
    );
  });

  it('tells the client that the company cannot be reached', async () => {
    const fixture = await startPool({ companyIssuer: 'http://localhost:1' });
    const { url } = await createAuthorizationRequest(fixture, { identity_provider: 'Acme' });
    const end = await createVisitor().open(url);

    expect(end.url.searchParams.get('error')).toBe('invalid_request');
    expect(end.url.searchParams.get('error_description')).toContain(
      'The sign-in at Acme failed: fetch failed',
    );
  });
});

async function startPoolWithCompany(trigger?: (event: TriggerEvent) => void) {
  const listener = await openLocalhostListener(0);
  onTestFinished(listener.close);
  const fixture = await startPool({ companyIssuer: listener.origin, trigger });
  const { callback, person } = createCompanyIssuer(listener.origin, `${fixture.origin}/oauth2/idpresponse`);
  listener.serve(callback);
  return { fixture, person };
}
