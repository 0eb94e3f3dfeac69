/** Organizations, API keys, routes, members and the audit trail in a real browser. */
import OpenAI from 'openai';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announced } from '#test/support/browser/announcements.ts';
import {
  type Dashboard,
  openSignedIn,
  startDashboard,
  submitMailedCode,
  submitSignUp,
} from '#test/support/browser/dashboard.ts';
import { navigateTo } from '#test/support/browser/page-content.ts';
import { openTestUser } from '#test/support/browser/test-user.ts';
import { accessibilityFindings, appearancesOf, setAppearance } from '#test/support/browser/user.ts';
import { killFunction } from '#test/support/function-processes.ts';
import { gatewayAssembly } from '#test/support/gateway-assembly.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard({ assemblyDirectory: await gatewayAssembly() });
});
afterAll(() => dashboard.stop());

const dialog = (page: Page) => page.getByRole('dialog').or(page.getByRole('alertdialog'));
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
/** The row whose header has the name. */
const rowOf = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader').filter({ hasText: name }) });

async function openAs(name: string): Promise<Page> {
  const user = await openTestUser(dashboard);
  await user.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openSignedIn(user, dashboard, { email: `${name}@example.com`, path: '/' });
  return user.page;
}

async function createOrganization(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Create organization' }).click();
  await heading(page, 'Overview').waitFor();
  await openView(page, 'API keys');
}

async function openView(page: Page, title: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: title }).click();
  await heading(page, title).waitFor();
}

const copiedText = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');

/** Whether it is wholly within the window, with the edge of its dialog. */
async function isInSight(page: Page, control: Locator): Promise<boolean> {
  const window = page.viewportSize();
  const box = await control.boundingBox();
  return window !== null && box !== null && box.y >= 0 && box.y + box.height < window.height - 16;
}

/** Copies the new key and closes its dialog. */
async function takeKey(page: Page): Promise<string> {
  const issued = page.getByRole('dialog', { name: 'Your new key' });
  await issued.getByRole('button', { name: 'Copy key' }).click();
  await announced(page, 'Copied');
  const key = await copiedText(page);
  const done = issued.getByRole('button', { name: 'Done' });
  expect(await isInSight(page, done)).toBe(true);
  await done.click();
  await issued.waitFor({ state: 'hidden' });
  return key;
}

async function createKey(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Create key' }).first().click();
  await dialog(page).getByLabel('Name').fill(name);
  await dialog(page).getByRole('button', { name: 'Create key' }).click();
  return takeKey(page);
}

async function chooseAction(page: Page, key: Locator, action: string): Promise<void> {
  await key.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** Resolves to the text of the completion, or to the status of the refusal. */
async function chat(apiKey: string, model = 'demo/demo-1'): Promise<string | number> {
  const client = new OpenAI({ baseURL: `${dashboard.gateway.baseUrl}/ai`, apiKey, maxRetries: 0 });
  try {
    const { choices } = await client.chat.completions.create({
      model,
      messages: [{ role: 'user', content: 'Hello!' }],
    });
    return choices[0]?.message.content ?? '';
  } catch (error) {
    return error instanceof OpenAI.APIError ? Number(error.status) : String(error);
  }
}

const demoResponse = /Hello from the local demo/;

describe('API keys', () => {
  it('are created, copied, tried, used by an OpenAI client, rotated and revoked', async () => {
    const page = await openAs('keys');
    await openView(page, 'API keys');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await dialog(page).getByLabel('Name').fill('production');
    await dialog(page).getByRole('button', { name: 'Create key' }).click();

    await dialog(page).getByRole('button', { name: 'Send a test request' }).click();
    await dialog(page).getByText(demoResponse).waitFor();
    await dialog(page).getByLabel('Log entry').getByText('demo-1').waitFor();
    await dialog(page).getByRole('tab', { name: 'Python' }).click();
    await dialog(page).getByText('model="demo/demo-1"').waitFor();
    await dialog(page).getByRole('radio', { name: 'Embeddings' }).click();
    await dialog(page).getByText('model="demo/demo-embedding"').waitFor();
    await dialog(page).getByRole('radio', { name: 'Responses' }).click();
    await dialog(page).getByText('client.responses.create').waitFor();
    await dialog(page).getByRole('radio', { name: 'Agents' }).click();
    await dialog(page).getByRole('tab', { name: 'Claude Code' }).waitFor();
    await dialog(page).getByText('export ANTHROPIC_MODEL=demo/demo-1').waitFor();
    await dialog(page).getByRole('tab', { name: 'Codex' }).click();
    await dialog(page).getByText('model = "demo/demo-1"').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await dialog(page).getByRole('radio', { name: 'Chat' }).click();
    await dialog(page).getByText('model="demo/demo-1"').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await dialog(page).getByLabel('Model: demo/demo-1').click();
    expect(await page.getByRole('option').allInnerTexts()).toEqual(['demo/demo-1']);
    await page.getByRole('option').click();
    const key = await takeKey(page);

    expect(key).toMatch(/^pt_live_[0-9A-Za-z]{32}$/);
    expect(await page.content()).not.toContain(key);
    expect(await chat(key)).toMatch(demoResponse);

    await chooseAction(page, rowOf(page, 'production'), 'Rotate');
    await dialog(page).getByRole('button', { name: 'Rotate key' }).click();
    const issued = page.getByRole('dialog', { name: 'Your new key' });
    await issued.waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Copy and close' }).click();
    await issued.waitFor({ state: 'hidden' });
    const replacement = await copiedText(page);
    expect(replacement).not.toBe(key);
    expect([await chat(key), await chat(replacement)]).toEqual([
      expect.stringMatching(demoResponse),
      expect.stringMatching(demoResponse),
    ]);

    await rowOf(page, `pt_live_…${replacement.slice(-4)}`)
      .getByRole('link', { name: 'production' })
      .click();
    await heading(page, 'production').waitFor();
    await page.getByText(`pt_live_…${replacement.slice(-4)}`).waitFor();
    await page.getByRole('table', { name: 'Last requests' }).getByText('demo-1').waitFor();
    // The old key, to which the new one leads.
    await page.getByRole('definition').getByRole('link', { name: 'production' }).click();
    await page.getByText('Ends, since it is replaced').waitFor();
    await page.waitForLoadState('networkidle');
    for (const appearance of appearancesOf(0)) {
      await setAppearance(page, appearance);
      expect([appearance, await accessibilityFindings(page)]).toEqual([appearance, []]);
    }
    await page.getByRole('main').getByRole('link', { name: 'API keys', exact: true }).click();

    await chooseAction(page, rowOf(page, `pt_live_…${replacement.slice(-4)}`), 'Revoke');
    await dialog(page).getByText('20 seconds').waitFor();
    await dialog(page)
      .getByText(/^1 request in the last 30 days/)
      .waitFor();
    await dialog(page).getByRole('button', { name: 'Revoke key' }).click();
    // Rows are hidden while the dialog is open.
    await page.getByRole('alertdialog').waitFor({ state: 'hidden' });
    await rowOf(page, `pt_live_…${replacement.slice(-4)}`).waitFor({ state: 'hidden' });
    // Environments accept a key for 20 seconds after its revocation; new ones read it first.
    await killFunction(dashboard.gateway, 'Chat');
    expect([await chat(replacement), await chat(key)]).toEqual([401, expect.stringMatching(demoResponse)]);
  });

  it('are found among many by a link that has the search', async () => {
    const page = await openAs('many');
    await createOrganization(page, 'Crowded');
    const path = `/dashboard/api${new URL(page.url()).pathname}`;
    const body = { expires_at: null, budget: null };
    const bodies = Array.from({ length: 27 }, (_, index) =>
      JSON.stringify({ name: `user ${index}`, ...body }),
    );
    const statuses = await page.evaluate(
      async ([url, texts]) => {
        const headers = { 'x-dashboard': '1', 'content-type': 'application/json' };
        const created: number[] = [];
        for (const text of texts)
          created.push((await fetch(url, { method: 'POST', headers, body: text })).status);
        return created;
      },
      [path, bodies] as const,
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    await page.reload();
    await page.getByRole('button', { name: 'Load more' }).click();
    await rowOf(page, 'user 0').waitFor();
    expect(await page.getByRole('row').count()).toBe(28);

    await page.getByRole('searchbox', { name: 'Search keys' }).fill('USER 2');
    await rowOf(page, 'user 9').waitFor({ state: 'hidden' });
    await page.reload();
    await rowOf(page, 'user 26').waitFor();
    const names = await page.getByRole('rowheader').allInnerTexts();
    expect(names.map((text) => text.split('\n')[0])).toEqual(
      [26, 25, 24, 23, 22, 21, 20, 2].map((number) => `user ${number}`),
    );

    await chooseAction(page, rowOf(page, 'user 22'), 'Revoke');
    await dialog(page).getByRole('button', { name: 'Revoke key' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'hidden' });
    await rowOf(page, 'user 22').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Ended' }).click();
    await rowOf(page, 'user 22').waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it('are refused when their hard budget is reached', async () => {
    const page = await openAs('budget');
    await createOrganization(page, 'Thrifty');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await dialog(page).getByLabel('Name').fill('small');
    await dialog(page).getByRole('switch', { name: 'Budget' }).click();
    await dialog(page).getByLabel('Amount').fill('0.000001');
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    const key = await takeKey(page);
    await openView(page, 'Budgets and limits');

    // A budget takes effect when no function has the key without it in its cache.
    await expect.poll(() => chat(key), { interval: 500 }).toBe(429);
    await page.reload();
    await page.getByText('$0.000001').first().waitFor();
    expect(await page.getByText('Activating').count()).toBe(0);
  });
});

describe('Rate limits', () => {
  it('of new keys have a default, are changed on the page of the key, and are removed from the list', async () => {
    const page = await openAs('limits');
    await page.goto(`${dashboard.dashboardUrl}/organizations/new`);
    await createOrganization(page, 'Steady');
    await openView(page, 'Budgets and limits');
    await page.getByRole('button', { name: 'Set the default of all new keys' }).click();
    await dialog(page).getByRole('button', { name: 'Set default' }).click();
    await dialog(page).getByText('Enter at least one limit').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await dialog(page).getByLabel('Concurrent requests').fill('5');
    await page.keyboard.press('Enter');
    await announced(page, 'The default for new keys is changed');

    await openView(page, 'API keys');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await dialog(page)
      .getByText('The key starts with the default rate limits of new keys: 5 concurrent requests.')
      .waitFor();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await createKey(page, 'worker');
    await page.getByRole('link', { name: 'worker' }).click();
    const section = page.getByRole('region', { name: 'Rate limits' });
    await section.getByRole('button', { name: 'Change' }).click();
    expect(await dialog(page).getByLabel('Concurrent requests').inputValue()).toBe('5');
    await dialog(page).getByLabel('Requests per minute').fill('1,200');
    await dialog(page).getByLabel('Concurrent requests').fill('');
    await dialog(page).getByRole('button', { name: 'Change rate limits' }).click();
    await announced(page, 'take effect within 20 seconds');
    await expect
      .poll(() => section.getByRole('definition').allInnerTexts())
      .toEqual(['1,200', 'No limit', 'No limit']);

    await section.getByRole('link', { name: 'All rate limits' }).click();
    await chooseAction(page, rowOf(page, 'worker'), 'Remove');
    await dialog(page).getByText('1,200 requests per minute').waitFor();
    await dialog(page).getByRole('button', { name: 'Remove rate limits' }).click();
    await announced(page, 'The rate limits are removed');
    await page.getByText('No rate limits yet').waitFor();

    await openView(page, 'Audit trail');
    await page.getByText('changed the default rate limits of new keys').waitFor();
    for (const verb of ['set', 'removed'])
      await page.getByText(`${verb} the rate limits of the key worker`).first().waitFor();
  });
});

describe('Routes', () => {
  const models = (page: Page) =>
    dialog(page)
      .getByLabel('Model', { exact: true })
      .evaluateAll((fields: { value: string }[]) => fields.map(({ value }) => value));

  it('are set with their targets in order, used, tested and removed', async () => {
    const page = await openAs('routes');
    await page.goto(`${dashboard.dashboardUrl}/organizations/new`);
    await createOrganization(page, 'Routed');
    const key = await createKey(page, 'worker');
    await openView(page, 'Routes');
    await page.getByText('No routes yet').waitFor();
    await page.getByRole('button', { name: 'Set route' }).click();
    await dialog(page).getByLabel('Name').fill('fast');
    await dialog(page).getByLabel('Model', { exact: true }).fill('openai/gpt-4o-mini');
    await dialog(page).getByRole('button', { name: 'Add target' }).click();
    // The field of the new target has the focus.
    await page.keyboard.type('openai/gpt-4o-mini');
    await dialog(page).getByRole('button', { name: 'Set route' }).click();
    await dialog(page).getByText('has the same model and parameters as targets[0]').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    const second = dialog(page).getByLabel('Model', { exact: true }).nth(1);
    await second.fill('demo-1');
    await page.getByRole('option', { name: 'demo/demo-1' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await models(page)).toEqual(['openai/gpt-4o-mini', 'demo/demo-1']);

    const reversed = ['demo/demo-1', 'openai/gpt-4o-mini'];
    await page.keyboard.press('Alt+ArrowUp');
    await announced(page, 'demo/demo-1 is now target 1 of 2');
    expect(await models(page)).toEqual(reversed);
    expect(await page.locator(':focus').inputValue()).toBe('demo/demo-1');
    await dialog(page)
      .locator('[data-drag-handle]')
      .first()
      .dragTo(dialog(page).getByRole('listitem').last());
    expect(await models(page)).toEqual(reversed.toReversed());
    await dialog(page).getByRole('button', { name: 'Move target 2, demo/demo-1, up' }).click();
    expect(await models(page)).toEqual(reversed);
    await dialog(page).getByRole('button', { name: 'Set route' }).click();
    await announced(page, 'route/fast is set');
    expect(await chat(key, 'route/fast')).toMatch(demoResponse);

    await page.getByRole('button', { name: 'Test route/fast' }).click();
    await dialog(page).getByRole('button', { name: 'Test', exact: true }).click();
    await dialog(page).getByText('demo/demo-1 would serve this request').waitFor();
    expect(await dialog(page).getByRole('listitem').last().innerText()).toContain(
      'Would be skipped: its provider is not set up',
    );
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');

    // The log has the request a moment later.
    await expect
      .poll(async () => {
        await page.reload();
        await page.getByRole('button', { name: 'route/fast', exact: true }).click();
        return page.getByText(/requests? in the last hour/i).innerText();
      })
      .toBe('1 request in the last hour, of which none failed. Show in logs');
    expect(await rowOf(page, 'demo/demo-1').getByRole('cell').first().innerText()).toContain('1');
    for (const appearance of appearancesOf(1)) {
      await setAppearance(page, appearance);
      expect([appearance, await accessibilityFindings(page)]).toEqual([appearance, []]);
    }
    await page.getByRole('button', { name: 'Actions for route/fast' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await dialog(page).getByText('1 request used it in the last hour.').waitFor();
    await dialog(page).getByRole('button', { name: 'Remove route' }).click();
    await announced(page, 'route/fast is removed');
    await page.getByText('No routes yet').waitFor();
  });
});

describe('Allowed models', () => {
  it('of a key are chosen when it is created, and changed on its page', async () => {
    const page = await openAs('models');
    await page.goto(`${dashboard.dashboardUrl}/organizations/new`);
    await createOrganization(page, 'Frugal');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await dialog(page).getByLabel('Name').fill('narrow');
    await dialog(page).getByRole('radio', { name: 'Only some' }).click();
    await dialog(page).getByLabel('Patterns').fill('openai/*');
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    const key = await takeKey(page);
    expect(await chat(key)).toBe(403);

    await page.getByRole('link', { name: 'narrow' }).click();
    const section = page.getByRole('region', { name: 'Allowed models' });
    await expect.poll(() => section.getByRole('listitem').allInnerTexts()).toEqual(['openai/*']);
    await section.getByRole('button', { name: 'Change allowed models' }).click();
    await dialog(page).getByLabel('Patterns').fill('demo');
    await dialog(page).getByRole('button', { name: 'Change allowed models' }).click();
    await dialog(page).getByText('“demo” has no provider').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await dialog(page).getByLabel('Patterns').fill('openai/*\ndemo/*');
    await dialog(page).getByRole('button', { name: 'Change allowed models' }).click();
    await announced(page, 'take effect within 20 seconds');
    await expect.poll(() => section.getByRole('listitem').allInnerTexts()).toEqual(['openai/*', 'demo/*']);
    // Environments keep a key for some seconds; new ones read it first.
    await killFunction(dashboard.gateway, 'Chat');
    expect(await chat(key)).toMatch(demoResponse);

    await openView(page, 'Organization settings');
    await page.getByRole('button', { name: 'Change allowed models' }).click();
    await dialog(page).getByRole('radio', { name: 'Only some' }).click();
    await dialog(page).getByLabel('Patterns').fill('openai/*');
    await dialog(page).getByRole('button', { name: 'Change allowed models' }).click();
    await page.getByRole('region', { name: 'Allowed models' }).getByText('openai/*').waitFor();
    await killFunction(dashboard.gateway, 'Chat');
    expect(await chat(key)).toBe(403);
  });
});

describe('Members', () => {
  it('join by a link, through sign-up, and leave their keys behind', async () => {
    const page = await openAs('owner');
    await createOrganization(page, 'Acme');
    await openView(page, 'Members');
    await page.getByRole('button', { name: 'Invite member' }).click();
    await dialog(page).getByLabel('E-mail address').fill('Grace@Müller.example');
    await dialog(page).getByRole('button', { name: 'Create invitation' }).click();
    await dialog(page).getByRole('button', { name: /^Copy/ }).click();
    await announced(page, 'Copied');
    const link = await copiedText(page);
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    await rowOf(page, 'Grace@Müller.example').waitFor();

    const stranger = await openAs('stranger');
    await stranger.goto(link);
    await stranger.getByText('You are signed in with another address').waitFor();
    expect(await stranger.getByText('Grace@Müller.example').count()).toBeGreaterThan(0);

    const { page: invited } = await openTestUser(dashboard);
    // Browsers send the ASCII form of a domain.
    const email = 'grace@xn--mller-kva.example';
    await submitSignUp(invited, dashboard, 'grace@müller.example', new URL(link).pathname);
    await submitMailedCode(invited, dashboard, email);
    await invited.getByRole('button', { name: 'Accept invitation' }).click();
    await announced(invited, 'You are now a member of Acme');
    await openView(invited, 'API keys');
    await stranger.goto(link);
    await stranger.getByRole('heading', { name: 'This invitation has been used' }).waitFor();

    await invited.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const key = await createKey(invited, 'experiments');
    await page.reload();
    await rowOf(page, 'Ada Lovelace')
      .getByRole('button', { name: /^Remove/ })
      .click();
    await dialog(page).getByText('Keep active').click();
    await dialog(page).getByRole('button', { name: 'Remove and keep 1 key' }).click();
    await announced(page, 'has been removed');
    await invited.reload();
    await invited.getByText('This organization does not exist, or you are not a member').waitFor();
    await openView(page, 'API keys');
    await rowOf(page, 'experiments').getByText('Left').waitFor();
    expect(await chat(key)).toMatch(demoResponse);

    await openView(page, 'Audit trail');
    await page.getByText('Ada Lovelace joined the organization').waitFor();
    expect(await page.getByText(key).count()).toBe(0);
  });
});

/** The paths of the calls that create something, as the page sends them. */
function creationsOf(page: Page): string[] {
  const paths: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    const [path] = /[a-z]+$/.exec(pathname) ?? [];
    if (request.method() === 'POST' && path !== undefined) paths.push(path);
  });
  return paths;
}

/** Presses the button of the dialog. The call has its effect, but its response does not arrive. */
async function submitWithoutResponse(page: Page, button: string): Promise<void> {
  await page.route('**/dashboard/api/**', async (route) => {
    if (route.request().method() === 'GET') return route.continue();
    await route.fetch();
    await route.abort();
  });
  await dialog(page).getByRole('button', { name: button }).click();
  await dialog(page).getByText('The dashboard cannot be reached').waitFor();
  await page.unroute('**/dashboard/api/**');
}

describe('A form', () => {
  it('creates one organization, one key and one invitation when it is submitted twice', async () => {
    const page = await openAs('impatient');
    const creations = creationsOf(page);
    // Both within one tick, as no person could.
    const pressTwice = (button: Locator) =>
      button.evaluate((element: { click: () => void }) => {
        element.click();
        element.click();
      });
    await page.goto(`${dashboard.dashboardUrl}/organizations/new`);
    await page.getByLabel('Name').fill('Once');
    await pressTwice(page.getByRole('button', { name: 'Create organization' }));
    await heading(page, 'Overview').waitFor();
    expect(creations).toEqual(['organizations']);

    await openView(page, 'API keys');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await dialog(page).getByLabel('Name').fill('single');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await takeKey(page);
    await rowOf(page, 'single').waitFor();
    expect(creations.filter((path) => path === 'keys')).toEqual(['keys']);

    await openView(page, 'Members');
    await page.getByRole('button', { name: 'Invite member' }).click();
    await dialog(page).getByLabel('E-mail address').fill('grace@example.com');
    await dialog(page).getByRole('button', { name: 'Create invitation' }).dblclick();
    await dialog(page).getByText('Invitation created').waitFor();
    expect(creations.filter((path) => path === 'invitations')).toEqual(['invitations']);
    // Without a mail, nobody has the link yet.
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog', { name: 'Close without copying the link?' }).waitFor();
    await page.getByRole('button', { name: 'Copy and close' }).click();
    await rowOf(page, 'grace@example.com').waitFor();
    expect(await copiedText(page)).toMatch(/\/invitations\/org_/);
  });

  it('of which a response was lost says what exists, and leads to a key and a link that are shown', async () => {
    const page = await openAs('unlucky');
    await page.goto(`${dashboard.dashboardUrl}/organizations/new`);
    await createOrganization(page, 'Patchy');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await dialog(page).getByLabel('Name').fill('lost');
    await submitWithoutResponse(page, 'Create key');
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    await dialog(page).getByRole('button', { name: 'Rotate it' }).click();
    const key = await takeKey(page);
    expect(await chat(key)).toMatch(demoResponse);
    // Nobody has the first one.
    expect(await page.getByRole('row').count()).toBe(2);
    await rowOf(page, `pt_live_…${key.slice(-4)}`).waitFor();

    await openView(page, 'Members');
    await page.getByRole('button', { name: 'Invite member' }).click();
    await dialog(page).getByLabel('E-mail address').fill('grace@example.com');
    await submitWithoutResponse(page, 'Create invitation');
    await dialog(page).getByRole('button', { name: 'Create invitation' }).click();
    await dialog(page).getByRole('button', { name: 'Invite again' }).click();
    await dialog(page).getByText('Invitation created').waitFor();
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Close anyway' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'hidden' });
    await rowOf(page, 'grace@example.com').waitFor();
    expect(await rowOf(page, 'grace@example.com').count()).toBe(1);
  });

  it('has what was entered after the session has ended and the user has signed in again', async () => {
    const page = await openAs('forgotten');
    await createOrganization(page, 'Patient');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await dialog(page).getByLabel('Name').fill('nightly');
    await dialog(page).getByRole('radio', { name: '30 days' }).click();
    await page.context().clearCookies();
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('E-mail').fill('forgotten@example.com');
    await page.getByRole('button', { name: 'Sign in' }).click();

    await dialog(page).getByRole('radio', { name: '30 days', checked: true }).waitFor();
    expect(await dialog(page).getByLabel('Name').inputValue()).toBe('nightly');
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Create key' }).first().click();
    expect(await dialog(page).getByLabel('Name').inputValue()).toBe('');
  });
});

describe('An organization', () => {
  it('is deleted with its keys after its name was typed', async () => {
    const page = await openAs('deleting');
    await createOrganization(page, 'Short-lived');
    const key = await createKey(page, 'orphan');
    await openView(page, 'Organization settings');
    await page.getByRole('button', { name: 'Delete organization' }).click();
    await dialog(page).getByLabel('Name of the organization').fill('Another');
    await dialog(page).getByRole('button', { name: 'Delete organization' }).click();
    await dialog(page).getByText('This is not the name of the organization').waitFor();
    await dialog(page).getByLabel('Name of the organization').fill('Short-lived');
    await dialog(page).getByRole('button', { name: 'Delete organization' }).click();
    await announced(page, 'Short-lived has been deleted');

    expect(await chat(key)).toBe(401);
  });

  it('has views that are accessible, in light and dark, on desktop and phone', async () => {
    const page = await openAs('views');
    await createOrganization(page, 'Acme');
    await createKey(page, 'production');
    const organization = page.url().replace(/\/keys$/, '');
    const views = {
      keys: 'API keys',
      budgets: 'Budgets and limits',
      routes: 'Routes',
      members: 'Members',
      'audit-trail': 'Audit trail',
      settings: 'Organization settings',
    };
    for (const [index, [path, title]] of Object.entries(views).entries()) {
      await navigateTo(page, `${organization}/${path}`, title);
      await page.waitForLoadState('networkidle');
      for (const appearance of appearancesOf(index)) {
        await setAppearance(page, appearance);
        expect([path, appearance, await accessibilityFindings(page)]).toEqual([path, appearance, []]);
      }
    }
  });
});
