/** The account page in a real browser: details, passkeys, authenticator app, sessions, deletion. */
import { generate } from 'otplib';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announced } from '#test/support/browser/announcements.ts';
import {
  type Dashboard,
  openManagedLogin,
  openSignedIn,
  signOut,
  signUp,
  startDashboard,
  submitPassword,
  submitSignIn,
} from '#test/support/browser/dashboard.ts';
import { openTestUser } from '#test/support/browser/test-user.ts';
import {
  accessibilityFindings,
  appearancesOf,
  devices,
  setAppearance,
  type User,
} from '#test/support/browser/user.ts';
import { gatewayAssembly } from '#test/support/gateway-assembly.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard({ assemblyDirectory: await gatewayAssembly() });
});
afterAll(() => dashboard.stop());

const dialog = (page: Page) => page.getByRole('dialog').or(page.getByRole('alertdialog'));

/** Returns on the profile of a new account. */
async function openAccount(email: string): Promise<User> {
  const user = await openTestUser(dashboard);
  await openSignedIn(user, dashboard, { email, path: '/account' });
  await user.page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
  return user;
}

async function openView(page: Page, name: 'Profile' | 'Security' | 'Sign-ins'): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

describe('The profile', () => {
  it('changes the name', async () => {
    const { page } = await openAccount('name@example.com');
    await page.getByLabel('Name', { exact: true }).fill('Augusta King');
    await page.getByRole('button', { name: 'Save' }).click();
    await announced(page, 'Your name has been saved');
    await page.reload();

    await page.getByRole('button', { name: 'User menu: Augusta King' }).waitFor();
  });

  it('changes the e-mail address once the new one is verified', async () => {
    const { page } = await openAccount('old@example.com');
    await page.getByRole('button', { name: 'Change e-mail' }).click();
    await dialog(page).getByLabel('New e-mail address').fill('new@example.org');
    await dialog(page).getByRole('button', { name: 'Send code' }).click();
    await dialog(page).getByLabel('Code').fill('000000');
    await dialog(page).getByRole('button', { name: 'Verify address' }).click();
    await dialog(page).getByText('The code is wrong').waitFor();
    expect(await page.getByText('old@example.com').count()).toBeGreaterThan(0);
    await dialog(page).getByLabel('Code').fill(dashboard.mailedCode('new@example.org'));
    await dialog(page).getByRole('button', { name: 'Verify address' }).click();
    await announced(page, 'Your address is now new@example.org');

    await signOut(page);
    await submitSignIn(page, dashboard, 'new@example.org');
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
  });

  it('deletes the account after its address was typed', async () => {
    const { page } = await openAccount('leaving@example.com');
    await page.getByRole('button', { name: 'Delete account' }).click();
    await dialog(page).getByLabel('Your e-mail address').fill('other@example.com');
    await dialog(page).getByRole('button', { name: 'Delete account' }).click();
    await dialog(page).getByText('This is not your e-mail address').waitFor();
    await dialog(page).getByLabel('Your e-mail address').fill('leaving@example.com');
    await dialog(page).getByRole('button', { name: 'Delete account' }).click();
    await page.getByText('Your account has been deleted').waitFor();

    await submitPassword(page, dashboard, 'leaving@example.com');
    await page.getByText('Incorrect username or password').waitFor();
  });
});

describe('Security', () => {
  it('adds a passkey, which signs the user in, and removes it', async () => {
    const { page, context } = await openTestUser(dashboard);
    // Managed login adds passkeys only for those whom it has signed in.
    await signUp(page, dashboard, 'passkey@example.com');
    await openView(page, 'Security');
    await addPasskey(page, context);
    expect(page.url()).toBe(`${dashboard.dashboardUrl}/account/security`);

    await signOut(page);
    await signInWithPasskey(page);
    await openView(page, 'Security');
    await page.getByRole('button', { name: /^Remove passkey/ }).click();
    await dialog(page).getByRole('button', { name: 'Remove passkey' }).click();
    await page.getByText('No passkeys yet').waitFor();
  });

  it('sets up an authenticator app, which a sign-in asks for, and removes it', async () => {
    const { page, context } = await openAccount('totp@example.com');
    await openView(page, 'Security');
    await page.getByRole('button', { name: 'Set up authenticator app' }).click();
    await dialog(page).getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    const secret = (await dialog(page).getByRole('code').innerText()).replaceAll(/\s/g, '');
    await dialog(page)
      .getByLabel('Code from the app')
      .fill(await generate({ secret }));
    await dialog(page).getByRole('button', { name: 'Turn on' }).click();
    await announced(page, 'The authenticator app is set up');

    await signOut(page);
    await submitSignIn(page, dashboard, 'totp@example.com');
    // The next code: each is accepted once.
    const epoch = Math.floor(Date.now() / 1000) + 30;
    await page.getByLabel('Code').fill(await generate({ secret, epoch }));
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
    await openView(page, 'Security');
    await addPasskey(page, context);
    await signOut(page);
    await signInWithPasskey(page);
    await openView(page, 'Security');
    await page.getByRole('button', { name: 'Remove authenticator app' }).click();
    await dialog(page).getByRole('button', { name: 'Remove app' }).click();
    await page.getByRole('button', { name: 'Set up authenticator app' }).waitFor();
  });
});

/** On the view `Security`, to which managed login returns. */
async function addPasskey(page: Page, context: BrowserContext): Promise<void> {
  await addAuthenticator(context, page);
  await page.getByRole('link', { name: 'Add passkey' }).click();
  await page.getByRole('button', { name: 'Create a passkey' }).click();
  await page.getByRole('button', { name: /^Remove passkey/ }).waitFor();
}

async function signInWithPasskey(page: Page): Promise<void> {
  await page.goto(`${dashboard.dashboardUrl}/sign-in?return_to=/account`);
  await page.getByRole('link', { name: 'Sign in', exact: true }).click();
  await openManagedLogin(page);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
}

/** A virtual authenticator, such as a fingerprint reader whose user always agrees. */
async function addAuthenticator(context: BrowserContext, page: Page): Promise<void> {
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

describe('Sign-ins', () => {
  it('lists the sessions of all browsers, ends one of them, and ends all', async () => {
    const { page } = await openAccount('two@example.com');
    const other = await openTestUser(dashboard);
    await submitSignIn(other.page, dashboard, 'two@example.com');
    await other.page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
    await openView(page, 'Sign-ins');
    const rows = page.getByRole('table', { name: 'Active sessions' }).getByRole('row');
    // The first row has the titles.
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByRole('button', { name: /^End session/ }).click();
    await dialog(page).getByRole('button', { name: 'End session' }).click();
    await expect.poll(() => rows.count()).toBe(2);
    await other.page.reload();
    await other.page.getByRole('link', { name: 'Create account' }).waitFor();

    await submitSignIn(other.page, dashboard, 'two@example.com');
    await other.page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await dialog(page).getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByText('You are signed out everywhere').waitFor();
    await other.page.reload();
    await other.page.getByRole('link', { name: 'Create account' }).waitFor();
  });
});

describe('Every view and dialog', () => {
  it('has no accessibility finding and no violation of the content-security policy, in any appearance', async () => {
    const { page } = await openAccount('views@example.com');
    const open = (path: string, name: string) => async () => {
      await page.goto(dashboard.dashboardUrl + path);
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await page.getByRole('main').getByRole('button').first().waitFor();
    };
    const closeDialog = async () => {
      await page.keyboard.press('Escape');
      await dialog(page).waitFor({ state: 'detached' });
    };
    const views: Record<string, () => Promise<void>> = {
      profile: open('/account', 'Profile'),
      'change of the address': () => page.getByRole('button', { name: 'Change e-mail' }).click(),
      'profile again': closeDialog,
      'deletion of the account': () => page.getByRole('button', { name: 'Delete account' }).click(),
      security: open('/account/security', 'Security'),
      'authenticator app': async () => {
        await page.getByRole('button', { name: 'Set up authenticator app' }).click();
        await dialog(page).getByRole('img').waitFor();
      },
      sessions: open('/account/sessions', 'Sign-ins'),
      'sign out everywhere': () => page.getByRole('button', { name: 'Sign out everywhere' }).click(),
      'sessions again': closeDialog,
      'user menu': () => page.getByRole('button', { name: /^User menu/ }).click(),
    };
    const findings: Record<string, string[]> = {};
    for (const [index, [name, show]] of Object.entries(views).entries()) {
      await page.setViewportSize(devices.desktop);
      await show();
      for (const appearance of appearancesOf(index)) {
        await setAppearance(page, appearance);
        const found = await accessibilityFindings(page);
        if (found.length > 0) findings[`${name}, ${Object.values(appearance).join(', ')}`] = found;
      }
    }
    await page.keyboard.press('Escape');
    await page.setViewportSize(devices.phone);
    await page.getByRole('button', { name: 'Open navigation' }).click();
    await dialog(page).waitFor();
    findings.drawer = await accessibilityFindings(page);
    await page.goto(`${dashboard.dashboardUrl}/no/such.page`);
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    findings['not found'] = await accessibilityFindings(page);
    await page.goto(`${dashboard.dashboardUrl}/sign-in?error=denied`);
    await page.getByText('The sign-in was refused').waitFor();
    findings['sign-in'] = await accessibilityFindings(page);

    expect(findings).toEqual({ drawer: [], 'not found': [], 'sign-in': [] });
  });

  it('works by keyboard, and returns the focus after a dialog', async () => {
    const { page } = await openAccount('keyboard@example.com');
    await page.reload();
    await page.getByRole('button', { name: 'Change e-mail' }).waitFor();
    const focused = () =>
      page.evaluate(() => {
        const { activeElement } = Reflect.get(globalThis, 'document');
        return activeElement.name || activeElement.innerText;
      });
    await page.keyboard.press('Tab');
    await expect.poll(focused).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await expect.poll(focused).toBe('Change e-mail');
    await page.keyboard.press('Enter');
    await expect.poll(focused).toBe('email');
    await page.keyboard.type('keyboard@example.org');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('keyboard@example.org').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(focused).toBe('Enter code');
  });
});
