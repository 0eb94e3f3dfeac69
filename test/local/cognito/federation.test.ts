import { describe, expect, it, onTestFinished } from 'vitest';
import { openLocalhostListener } from '#local/listeners/http-listener.ts';
import { createCompanyIssuer } from './company-issuer.ts';
import {
  createAuthorizationRequest,
  exchangeCode,
  type PoolFixture,
  signUp,
  startPoolFixture,
  type TriggerEvent,
} from './pool-fixture.ts';
import { dashboard } from './user-pool-template.ts';
import { createVisitor, type Visitor } from './visitor.ts';

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
    const parameters = { identity_provider: 'Acme' };
    const created = await signIn(fixture, createVisitor(), parameters);
    person.email = 'countess@acme.example';
    const updated = await signIn(fixture, createVisitor(), parameters);

    expect(updated?.sub).toBe(created?.sub);
    expect(updated?.email).toBe('countess@acme.example');
    expect(fixture.events).toHaveLength(1);
    expect(fixture.signUps).toEqual([{ id: created?.sub, email: 'ada@acme.example', name: 'Ada' }]);
  });

  it.each<Record<string, string>>([{}, { identity_provider: 'Acme' }, { idp_identifier: 'acme.example' }])(
    'is resumed with %o, without asking the company',
    async (parameters) => {
      const { fixture, requests } = await startPoolWithCompany();
      const visitor = createVisitor();
      const first = await signIn(fixture, visitor, { identity_provider: 'Acme' });
      fixture.clock.now += 600_000;
      const resumed = await signIn(fixture, visitor, parameters);

      expect(resumed).toMatchObject({ sub: first?.sub, auth_time: first?.auth_time });
      expect(requests).toHaveLength(1);
    },
  );

  it.each([
    [{ prompt: 'login' }, 'login'],
    [{ max_age: '0' }, 'login'],
    [{ max_age: '599' }, undefined],
  ])('asks the company again with %o', async (parameters, prompt) => {
    const { fixture, requests } = await startPoolWithCompany();
    const visitor = createVisitor();
    await signIn(fixture, visitor, { identity_provider: 'Acme' });
    fixture.clock.now += 600_000;
    const again = await signIn(fixture, visitor, { idp_identifier: 'acme.example', ...parameters });

    expect(requests.map((request) => request.prompt)).toEqual([undefined, prompt]);
    expect(again?.auth_time).toBe(Math.floor(fixture.clock.now / 1000));
  });

  it('asks again in place of a session of the other kind', async () => {
    const { fixture } = await startPoolWithCompany();
    const { visitor, tokens } = await signUp(fixture);
    const federated = await signIn(fixture, visitor, { identity_provider: 'Acme' });
    const request = await createAuthorizationRequest(fixture, { identity_provider: 'COGNITO' });
    const page = await visitor.open(request.url);

    expect(tokens.claims()?.['cognito:username']).not.toBe('Acme_42');
    expect(federated?.['cognito:username']).toBe('Acme_42');
    expect(page.url.pathname).toBe('/local');
  });

  it('begins with a button of the sign-in page', async () => {
    const { fixture } = await startPoolWithCompany();
    const visitor = createVisitor();
    const request = await createAuthorizationRequest(fixture);
    await visitor.open(request.url);
    const page = await visitor.open('/login');
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
    const fixture = await startPoolFixture({ companyIssuer: 'http://localhost:1' });
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
  const fixture = await startPoolFixture({ companyIssuer: listener.origin, trigger });
  const company = createCompanyIssuer(listener.origin, `${fixture.origin}/oauth2/idpresponse`);
  listener.serve(company.callback);
  return { fixture, person: company.person, requests: company.requests };
}

/** Returns the claims of the ID token. */
async function signIn(fixture: PoolFixture, visitor: Visitor, parameters: Record<string, string>) {
  const request = await createAuthorizationRequest(fixture, parameters);
  const { url } = await visitor.open(request.url);
  return (await exchangeCode(fixture, url, request)).claims();
}
