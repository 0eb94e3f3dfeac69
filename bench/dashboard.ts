/**
 * Measures what a browser loads for the dashboard's first views, and how long it takes: `npm run bench:dashboard`.
 *
 * Every view is opened in new browsers without a cache, from a local gateway, with the whole processor and with a quarter
 * of it: the views of analytics with 100 requests, and with 100,000. It is usable when its last control or figure is there.
 * Times are medians of 11 openings, or of the number in the argument. Takes about six minutes, most of them to write the
 * requests.
 */
import type { Cookie, Locator, Page } from 'playwright-core';
import { type Dashboard, signUp, startDashboard } from '#test/support/browser/dashboard.ts';
import { writeManyRequests } from '#test/support/browser/demo-requests.ts';
import { markdownTable, median } from './harness/figures.ts';

interface Opening {
  bytesByType: Record<string, number>;
  usableMs: number;
}

interface View {
  name: string;
  path: string;
  /** Appears last. */
  last: (page: Page) => Locator;
  isSignedIn: boolean;
}

const control = (name: string) => (page: Page) =>
  page.getByRole('link', { name }).or(page.getByRole('button', { name }));

const views: View[] = [
  { name: 'sign-in', path: '/', last: control('Create account'), isSignedIn: false },
  { name: 'profile', path: '/account', last: control('Delete account'), isSignedIn: true },
  { name: 'sessions', path: '/account/sessions', last: control('Sign out everywhere'), isSignedIn: true },
];

/** With figures of the organization. */
const analyticsViews = (organizationId: string, requests: string): View[] => {
  const view = (name: string, last: View['last']): View => ({
    name: `${name}, ${requests} requests`,
    path: `/organizations/${organizationId}/${name}`,
    last,
    isSignedIn: true,
  });
  return [
    view('overview', (page) => page.getByText('claude-sonnet-5-5').first()),
    view('usage', (page) => page.getByRole('row').filter({ hasText: 'All requests' })),
    view('logs', (page) => page.getByRole('row').nth(10)),
    view('billing', (page) => page.getByRole('row').filter({ hasText: 'Preliminary' })),
  ];
};

const rounds = Number(process.argv[2] ?? 11);
const dashboard = await startDashboard({});
try {
  const first = await dashboard.newUser();
  await signUp(first.page, dashboard, 'bench@example.com');
  const cookies = await first.context.cookies();
  const { gateway } = dashboard;
  const rows = await measure(views, cookies);
  for (const requests of [100, 100_000]) {
    await writeManyRequests(gateway, requests);
    const shown = requests.toLocaleString('en-US');
    rows.push(...(await measure(analyticsViews(gateway.organizationId, shown), cookies)));
  }
  const sizes = ['JavaScript, kB', 'CSS, kB', 'Font, kB', 'All, kB'];
  console.log(markdownTable('First views', ['View', ...sizes, 'Usable, ms', 'At a quarter, ms'], rows));
} finally {
  await dashboard.stop();
}

async function measure(measured: readonly View[], cookies: Cookie[]): Promise<(string | number)[][]> {
  const rows: (string | number)[][] = [];
  for (const view of measured) {
    const opened: Record<1 | 4, Opening[]> = { 1: [], 4: [] };
    for (let round = 0; round < rounds; round++) {
      for (const slowdown of [1, 4] as const) {
        opened[slowdown].push(await open(dashboard, view, { slowdown, cookies }));
      }
    }
    rows.push(toRow(view, opened));
  }
  return rows;
}

function toRow({ name }: View, opened: Record<1 | 4, Opening[]>): (string | number)[] {
  const { bytesByType = {} } = opened[1][0] ?? {};
  const kilobytes = (type: string) => (bytesByType[type] ?? 0) / 1000;
  const all = Object.values(bytesByType).reduce((sum, bytes) => sum + bytes, 0) / 1000;
  const usable = ([1, 4] as const).map((slowdown) =>
    median(opened[slowdown].map(({ usableMs }) => usableMs)),
  );
  return [name, ...['script', 'stylesheet', 'font'].map(kilobytes), all, ...usable];
}

async function open(
  { newUser, dashboardUrl }: Dashboard,
  { path, last, isSignedIn }: View,
  options: { slowdown: number; cookies: Cookie[] },
): Promise<Opening> {
  const { context, page } = await newUser();
  if (isSignedIn) await context.addCookies(options.cookies);
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: options.slowdown });
  const loaded = recordBytes(page);
  const startedAt = performance.now();
  await page.goto(dashboardUrl + path, { waitUntil: 'commit' });
  await last(page).waitFor();
  const usableMs = performance.now() - startedAt;
  await page.waitForLoadState('networkidle');
  const bytesByType: Record<string, number> = {};
  for (const [type, bytes] of await Promise.all(loaded)) bytesByType[type] = (bytesByType[type] ?? 0) + bytes;
  await context.close();
  return { bytesByType, usableMs };
}

/** Without headers, which HTTP/2 compresses, and compressed by gzip: the browser takes Brotli only from HTTPS. */
function recordBytes(page: Page): Promise<[string, number]>[] {
  const loaded: Promise<[string, number]>[] = [];
  page.on('requestfinished', (request) => {
    const bytes = request.sizes().then(
      (sizes) => sizes.responseBodySize,
      // The page is closed: what it loads after the view does not count.
      () => 0,
    );
    loaded.push(bytes.then((count): [string, number] => [request.resourceType(), count]));
  });
  return loaded;
}
