/** Sign-up, sign-in, renewal and sign-out, in a real browser with two sites. */
import {
  AdminDisableUserCommand,
  CognitoIdentityProviderClient,
} from '@aws-sdk/client-cognito-identity-provider';
import { DynamoDBDocumentClient, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createAdministratorClient } from '#local/aws/administrator-client.ts';
import { administratorAccessKeyId, localSecretAccessKey } from '#local/identities.ts';
import {
  type Dashboard,
  signOut,
  signUp,
  startDashboard,
  submitSignIn,
} from '#test/support/browser/dashboard.ts';
import { openTestUser } from '#test/support/browser/test-user.ts';
import { gatewayAssembly } from '#test/support/gateway-assembly.ts';

let dashboard: Dashboard;
let tables: DynamoDBDocumentClient;
beforeAll(async () => {
  dashboard = await startDashboard({ assemblyDirectory: await gatewayAssembly() });
  const { dynamodb_endpoint: endpoint, region } = dashboard.gateway.connection;
  tables = DynamoDBDocumentClient.from(createAdministratorClient({ endpoint, region }));
});
afterAll(async () => {
  tables.destroy();
  await dashboard.stop();
});

interface SessionResponse {
  status: number;
  body: { user: { id: string; email: string } };
}

const session = (page: Page, headers: Record<string, string> = { 'x-dashboard': '1' }) =>
  page.evaluate(async (sent): Promise<SessionResponse> => {
    const response = await fetch('/dashboard/api/session', { headers: sent });
    return { status: response.status, body: JSON.parse(await response.text()) };
  }, headers);

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

/** The items of the sessions in the table, of all users. */
async function sessionsOf(userId: string) {
  const { Items = [] } = await tables.send(
    new QueryCommand({
      TableName: dashboard.gateway.connection.outputs.AccountsTableName,
      KeyConditionExpression: 'pk = :user AND begins_with(sk, :session)',
      ExpressionAttributeValues: { ':user': `user#${userId}`, ':session': 'session#' },
    }),
  );
  return Items;
}

/** Makes the session look as if it had last been renewed more than an hour ago. */
async function makeRenewalDue(userId: string): Promise<void> {
  for (const { pk, sk } of await sessionsOf(userId)) {
    await tables.send(
      new UpdateCommand({
        TableName: dashboard.gateway.connection.outputs.AccountsTableName,
        Key: { pk, sk },
        UpdateExpression: 'SET last_renewed_at = :earlier',
        ExpressionAttributeValues: { ':earlier': new Date(Date.now() - 3_700_000).toISOString() },
      }),
    );
  }
}

describe('A new user', () => {
  it('signs up with a code from the mail, and sees their account', async () => {
    const { page, context } = await openTestUser(dashboard);
    await page.goto(`${dashboard.dashboardUrl}/account/sessions?from=mail`);
    await heading(page, 'AI gateway').waitFor();
    await signUp(page, dashboard, 'ada@example.com');

    const { status, body } = await session(page);
    const cookies = await context.cookies(dashboard.dashboardUrl);
    expect(status).toBe(200);
    expect(body.user).toEqual({
      id: expect.any(String),
      email: 'ada@example.com',
      name: 'Ada Lovelace',
      identity_provider: null,
    });
    expect(cookies.map(({ value: _, expires: __, ...cookie }) => cookie)).toEqual([
      {
        name: '__Host-session',
        domain: '127.0.0.1',
        path: '/',
        httpOnly: true,
        secure: true,
        sameSite: 'Strict',
      },
    ]);
    const readable = await page.evaluate(() =>
      JSON.stringify([
        Reflect.get(globalThis, 'document').cookie,
        { ...localStorage },
        { ...sessionStorage },
      ]),
    );
    expect(readable).not.toContain(cookies[0]?.value);
    // Every JSON Web Token begins with these letters.
    expect(readable).not.toContain('eyJ');
  });

  it('returns after the sign-in to the page that they asked for', async () => {
    const { page } = await openTestUser(dashboard);
    await signUp(page, dashboard, 'grace@example.com');
    await signOut(page);
    await page.goto(`${dashboard.dashboardUrl}/account/sessions`);
    await page.getByRole('link', { name: 'Sign in', exact: true }).click();
    await page.getByLabel('E-mail').fill('grace@example.com');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();

    await heading(page, 'Sign-ins').waitFor();
    expect(page.url()).toBe(`${dashboard.dashboardUrl}/account/sessions`);
  });
});

const listOrganizations = `fetch('/dashboard/api/organizations', { headers: { 'x-dashboard': '1' } })
  .then((response) => response.json())
  .then(({ error }) => error.code)`;

describe('A session', () => {
  it('ends at the sign-out, so that a copy of its cookie opens nothing', async () => {
    const { page, context } = await openTestUser(dashboard);
    await signUp(page, dashboard, 'linus@example.com');
    const stolen = await context.cookies(dashboard.dashboardUrl);
    await signOut(page);

    const thief = await openTestUser(dashboard);
    await thief.context.addCookies(stolen);
    await thief.page.goto(`${dashboard.dashboardUrl}/sign-in`);
    expect((await session(thief.page)).status).toBe(401);
    expect(await context.cookies(dashboard.dashboardUrl)).toEqual([]);
    // The managed login has forgotten the user too.
    await page.getByRole('link', { name: 'Sign in', exact: true }).click();
    await page.getByLabel('E-mail').waitFor();
  });

  it('is renewed after an hour, with new tokens', async () => {
    const { page } = await openTestUser(dashboard);
    await signUp(page, dashboard, 'renewal@example.com');
    const { user } = (await session(page)).body;
    await makeRenewalDue(user.id);
    const [before] = await sessionsOf(user.id);
    const statuses = await Promise.all([1, 2, 3, 4, 5].map(async () => (await session(page)).status));
    const [after] = await sessionsOf(user.id);

    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    expect(after?.last_renewed_at > before?.last_renewed_at).toBe(true);
    expect(after?.sealed_tokens).not.toEqual(before?.sealed_tokens);
    // The other functions of the dashboard cannot renew it: the page calls this one first.
    await makeRenewalDue(user.id);
    expect(await page.evaluate(listOrganizations)).toBe('session_renewal_due');
    await page.goto(`${dashboard.dashboardUrl}/organizations/new`);
    await heading(page, 'Create organization').waitFor();
  });

  it('ends at the next renewal after the account was disabled', async () => {
    const { page } = await openTestUser(dashboard);
    await signUp(page, dashboard, 'disabled@example.com');
    const { user } = (await session(page)).body;
    await disableUser('disabled@example.com');
    expect((await session(page)).status).toBe(200);
    await makeRenewalDue(user.id);
    await page.reload();

    await page.getByRole('link', { name: 'Create account' }).waitFor();
    expect(await sessionsOf(user.id)).toEqual([]);
    await submitSignIn(page, dashboard, 'disabled@example.com');
    await page.getByText('User is disabled').waitFor();
  });
});

async function disableUser(Username: string): Promise<void> {
  const { dynamodb_endpoint: endpoint, region, outputs } = dashboard.gateway.connection;
  const credentials = { accessKeyId: administratorAccessKeyId, secretAccessKey: localSecretAccessKey };
  const cognito = new CognitoIdentityProviderClient({ endpoint, region, credentials });
  await cognito.send(new AdminDisableUserCommand({ UserPoolId: outputs.UserPoolId, Username }));
  cognito.destroy();
}

describe('Another site', () => {
  it('can neither call the interface nor sign the user out', async () => {
    const { page, context } = await dashboard.newUser();
    onTestFinished(() => context.close());
    await signUp(page, dashboard, 'target@example.com');
    const otherSite = 'http://localhost:9/';
    await context.route(otherSite, (route) => route.fulfill({ contentType: 'text/html', body: 'Other' }));
    await page.goto(otherSite);
    const target = `${dashboard.dashboardUrl}/dashboard/api`;
    const results = await page.evaluate(async (api) => {
      const attempt = (path: string, init: object) =>
        fetch(api + path, { credentials: 'include', ...init }).then(
          ({ type, status }) => `${type} ${status}`,
          () => 'blocked',
        );
      return {
        read: await attempt('/session', { headers: { 'x-dashboard': '1' } }),
        readWithoutHeader: await attempt('/session', { mode: 'no-cors' }),
        signOut: await attempt('/session', { method: 'DELETE', headers: { 'x-dashboard': '1' } }),
        post: await attempt('/account/totp', { method: 'POST', mode: 'no-cors' }),
      };
    }, target);

    expect(results).toEqual({
      read: 'blocked',
      readWithoutHeader: 'blocked',
      signOut: 'blocked',
      post: 'blocked',
    });
    await page.goto(dashboard.dashboardUrl);
    expect((await session(page)).body.user.email).toBe('target@example.com');
    expect((await session(page, {})).status).toBe(403);
  });

  it.each([
    ['without the header', {}, 403],
    ['from another origin', { 'x-dashboard': '1', origin: 'https://evil.example' }, 403],
    ['from another site', { 'x-dashboard': '1', 'sec-fetch-site': 'cross-site' }, 403],
    ['without a session', { 'x-dashboard': '1' }, 401],
  ])('gets an error %s', async (_case, headers, status) => {
    const response = await fetch(`${dashboard.dashboardUrl}/dashboard/api/session`, { headers });

    expect(response.status).toBe(status);
  });

  it('cannot complete a sign-in that did not begin in the same browser', async () => {
    const url = `${dashboard.dashboardUrl}/dashboard/api/callback?code=stolen&state=known`;
    const response = await fetch(url, { redirect: 'manual' });

    expect(response.status).toBe(400);
    expect(response.headers.getSetCookie()).not.toContainEqual(expect.stringContaining('__Host-session='));
  });
});
