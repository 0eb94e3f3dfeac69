/** The dashboard of a local gateway, with people who use it in a real browser. */
import type { Browser, Page } from 'playwright-core';
import { type LocalGateway, type LocalGatewayOptions, startLocalGateway } from '#local/local-gateway.ts';
import { signUpLocally } from '../accounts/local-sign-up.ts';
import { launchBrowser } from './chromium.ts';
import { openUser, type User } from './user.ts';

export interface Dashboard {
  gateway: LocalGateway;
  dashboardUrl: string;
  signInUrl: string;
  /** @param locale of the browser; British English by default */
  newUser(locale?: string): Promise<User>;
  /** The code in the newest mail to the address. */
  mailedCode(address: string): string;
  stop(): Promise<void>;
}

export async function startDashboard(options: LocalGatewayOptions): Promise<Dashboard> {
  const [gateway, browser] = await Promise.all([
    startLocalGateway({ port: 0, ephemeral: true, environment: { PATH: process.env.PATH }, ...options }),
    launchBrowser(),
  ]);
  const { dashboardUrl, signInUrl, mailbox } = gateway;
  if (dashboardUrl === null || signInUrl === null) throw new Error('The gateway has no dashboard');
  return {
    gateway,
    dashboardUrl,
    signInUrl,
    newUser: (locale) => openUser(browser, locale),
    mailedCode(address) {
      const code = mailbox?.messages().find(({ to }) => to === address)?.code;
      if (code === undefined) throw new Error(`There is no code for ${address}`);
      return code;
    },
    stop: () => stopAll(browser, gateway),
  };
}

async function stopAll(browser: Browser, gateway: LocalGateway): Promise<void> {
  await browser.close();
  await gateway.stop();
}

const password = 'Correct-horse-1';

/** Fills in the form with which an account is created, and sends it. `path` is the view that opens afterwards. */
export async function submitSignUp(
  page: Page,
  dashboard: Dashboard,
  email: string,
  path = '/account',
): Promise<void> {
  await page.goto(dashboard.dashboardUrl + path);
  await page.getByRole('link', { name: 'Create account' }).click();
  await openManagedLogin(page);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Name (optional)').fill('Ada Lovelace');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
}

/** From the first page of the local sign-in, which takes an address alone, to the page that Cognito would show. */
export async function openManagedLogin(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Other ways to sign in' }).click();
}

export async function submitMailedCode(page: Page, dashboard: Dashboard, email: string): Promise<void> {
  await page.getByRole('heading', { name: 'Confirm your e-mail' }).waitFor();
  await page.getByLabel('Code').fill(dashboard.mailedCode(email));
  await page.getByRole('button', { name: 'Confirm' }).click();
}

/** Creates an account, and returns on its profile. */
export async function signUp(page: Page, dashboard: Dashboard, email: string): Promise<void> {
  await submitSignUp(page, dashboard, email);
  await submitMailedCode(page, dashboard, email);
  await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
}

/** Creates an account without the forms of the sign-up, which have their own tests, and opens a view as its user. */
export async function openSignedIn(
  { page, context }: User,
  dashboard: Dashboard,
  { email, path }: { email: string; path: string },
): Promise<void> {
  const { cookie: value } = await signUpLocally(dashboard.gateway, email);
  // The prefix of the name requires https; browsers then also send the cookie to addresses of this machine.
  const url = dashboard.dashboardUrl.replace('http:', 'https:');
  await context.addCookies([
    { name: '__Host-session', value, url, secure: true, httpOnly: true, sameSite: 'Strict' },
  ]);
  await page.goto(dashboard.dashboardUrl + path);
}

/** Signs in with the address alone. The profile opens afterwards, unless a second factor is asked for. */
export async function submitSignIn(page: Page, dashboard: Dashboard, email: string): Promise<void> {
  await page.goto(`${dashboard.dashboardUrl}/sign-in?return_to=/account`);
  await page.getByRole('link', { name: 'Sign in', exact: true }).click();
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Signs in on the page of managed login. The profile opens afterwards. */
export async function submitPassword(page: Page, dashboard: Dashboard, email: string): Promise<void> {
  await page.goto(`${dashboard.dashboardUrl}/sign-in?return_to=/account`);
  await page.getByRole('link', { name: 'Sign in', exact: true }).click();
  await openManagedLogin(page);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Opens the user menu and signs out. Returns on the sign-in page. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^User menu/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('link', { name: 'Create account' }).waitFor();
}
