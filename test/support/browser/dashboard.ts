/** The dashboard of a local gateway, with people who use it in a real browser. */
import type { Browser, Page } from 'playwright-core';
import { type LocalGateway, type LocalGatewayOptions, startLocalGateway } from '#local/local-gateway.ts';
import { launchBrowser } from './chromium.ts';
import { openUser, type User } from './user.ts';

export interface Dashboard {
  gateway: LocalGateway;
  dashboardUrl: string;
  signInUrl: string;
  newUser(): Promise<User>;
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
    newUser: () => openUser(browser),
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

export interface Credentials {
  email: string;
  password: string;
}

export const password = 'Correct-horse-1';

/** Fills in the form with which an account is created, and sends it. */
export async function submitSignUp(page: Page, dashboard: Dashboard, email: string): Promise<void> {
  await page.goto(dashboard.dashboardUrl);
  await page.getByRole('link', { name: 'Create account' }).click();
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Name (optional)').fill('Ada Lovelace');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
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

/** Fills in the sign-in form of the managed login, and sends it. */
export async function submitSignIn(page: Page, dashboard: Dashboard, email: string): Promise<void> {
  await page.goto(`${dashboard.dashboardUrl}/sign-in`);
  await page.getByRole('link', { name: 'Sign in', exact: true }).click();
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
