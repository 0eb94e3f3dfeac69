/** Checks who may sign in: a gateway that names its creators, requires a second factor, and has a company's sign-in. */
import { generate } from 'otplib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type HttpListener, openHttpListener } from '#local/listeners/http-listener.ts';
import { type CompanyIssuer, createCompanyIssuer } from '#test/local/cognito/company-issuer.ts';
import {
  type Dashboard,
  startDashboard,
  submitMailedCode,
  submitSignIn,
  submitSignUp,
} from '#test/support/browser/dashboard.ts';
import { openTestUser } from '#test/support/browser/test-user.ts';
import { accessibilityFindings } from '#test/support/browser/user.ts';
import { gatewayAssembly } from '#test/support/gateway-assembly.ts';

let dashboard: Dashboard;
let listener: HttpListener;
let company: CompanyIssuer;
beforeAll(async () => {
  listener = await openHttpListener(0);
  const assemblyDirectory = await gatewayAssembly({
    organizationCreators: ['creators.example'],
    requireMfa: true,
    identityProvider: {
      name: 'Acme',
      domains: ['acme.example'],
      issuer: listener.origin,
      clientId: 'gateway',
      clientSecretName: 'acme-sign-in',
    },
  });
  dashboard = await startDashboard({
    assemblyDirectory,
    environment: { PATH: process.env.PATH, IDENTITY_PROVIDER_CLIENT_SECRET: 'company-secret' },
    signUpAsConfigured: true,
  });
  company = createCompanyIssuer(listener.origin, `${dashboard.signInUrl}/oauth2/idpresponse`);
  listener.serve(company.callback);
});
afterAll(async () => {
  await dashboard.stop();
  await listener.close();
});

describe('Signing up', () => {
  it('is refused to a stranger, with the reason', async () => {
    const { page } = await openTestUser(dashboard);
    await submitSignUp(page, dashboard, 'eve@stranger.example');

    await page.getByText('PreSignUp failed with error').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(dashboard.gateway.mailbox?.messages()).toEqual([]);
  });

  it("is refused to an address of the company, which has to use the company's sign-in", async () => {
    const { page } = await openTestUser(dashboard);
    await submitSignUp(page, dashboard, 'ada@acme.example');

    await page.getByText(/PreSignUp failed with error .*Acme/).waitFor();
  });

  it('is open to the creators, who must set up a second factor before they are signed in', async () => {
    const { page } = await openTestUser(dashboard);
    const email = 'grace@creators.example';
    await submitSignUp(page, dashboard, email);
    await submitMailedCode(page, dashboard, email);
    await page.getByRole('heading', { name: 'Set up two-step verification' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    const secret = await page.getByRole('code').innerText();
    await page.getByLabel('Code from the app').fill(await generate({ secret }));
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();

    await page.goto(`${dashboard.dashboardUrl}/account/security`);
    expect(await page.getByRole('button', { name: 'Remove authenticator app' }).isDisabled()).toBe(true);
    const other = await openTestUser(dashboard);
    await submitSignIn(other.page, dashboard, email);
    await other.page.getByLabel('Code from the app').waitFor();
  });
});

describe("The company's sign-in", () => {
  it('signs people with its addresses in, without a form of the user pool', async () => {
    const { page } = await openTestUser(dashboard);
    await page.goto(`${dashboard.dashboardUrl}/account`);
    await page.getByRole('link', { name: 'Continue with Acme' }).click();
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();

    await page.getByRole('main').getByText('ada@acme.example').waitFor();
    await page.goto(`${dashboard.dashboardUrl}/account/security`);
    await page.getByText('You sign in with Acme').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it('refuses an address of another domain', async () => {
    const { page } = await openTestUser(dashboard);
    const { sub, email } = company.person;
    Object.assign(company.person, { sub: '43', email: 'contractor@other.example' });
    onTestFinished(() => void Object.assign(company.person, { sub, email }));
    await page.goto(dashboard.dashboardUrl);
    await page.getByRole('link', { name: 'Continue with Acme' }).click();

    await page.getByText('Acme does not manage this address').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
  });
});
