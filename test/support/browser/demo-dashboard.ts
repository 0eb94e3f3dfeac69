/** The dashboard with demo data and its owner, whose browser the tests share. */
import OpenAI from 'openai';
import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { gatewayAssembly } from '../gateway-assembly.ts';
import { type Dashboard, openSignedIn, startDashboard } from './dashboard.ts';
import { writeDemoRequests } from './demo-requests.ts';
import { panelsLoaded } from './page-content.ts';
import { type PublicApi, publicApi } from './public-api.ts';
import type { User } from './user.ts';

export interface DemoDashboard {
  dashboard: Dashboard;
  /** With a key of the demo organization. */
  api: PublicApi;
  /** The newest first. */
  entries: readonly LogEntry[];
  owner: User;
  /** The address of the demo organization, without a trailing slash. */
  organizationUrl: string;
  /** An empty page that is closed after the test. */
  openTab(): Promise<Page>;
  /** Opens a view of the demo organization, and returns when it has its data. */
  open(path: string, search?: Record<string, string>): Promise<Page>;
  /** Sends a request with the OpenAI client, by default with a key of the demo organization. */
  chat(apiKey?: string): Promise<void>;
}

/** On the day on which clocks in Berlin are set back. */
const timesAroundChange = [
  '2026-10-24T22:30Z',
  '2026-10-25T00:30Z',
  '2026-10-25T01:30Z',
  '2026-10-25T22:30Z',
];

export async function startDemoDashboard(): Promise<DemoDashboard> {
  const dashboard = await startDashboard({ assemblyDirectory: await gatewayAssembly() });
  const { gateway } = dashboard;
  const organizationUrl = `${dashboard.dashboardUrl}/organizations/${gateway.organizationId}`;
  const owner = await dashboard.newUser();
  await owner.context.grantPermissions(['clipboard-write']);
  await openSignedIn(owner, dashboard, { email: 'owner@example.com', path: '/favicon.svg' });
  const openTab = async () => {
    const page = await owner.context.newPage();
    onTestFinished(() => page.close());
    return page;
  };
  return {
    dashboard,
    api: publicApi(gateway),
    entries: await writeDemoRequests(gateway, 300, timesAroundChange),
    owner,
    organizationUrl,
    openTab,
    async open(path, search = {}) {
      const page = await openTab();
      await page.goto(`${organizationUrl}${path}?${new URLSearchParams(search)}`);
      await panelsLoaded(page);
      return page;
    },
    async chat(apiKey = gateway.apiKey) {
      const client = new OpenAI({ baseURL: `${gateway.baseUrl}/ai`, apiKey, maxRetries: 0 });
      await client.chat.completions.create({
        model: 'demo/demo-1',
        messages: [{ role: 'user', content: 'Hi' }],
      });
    },
  };
}

/** Two weeks of UTC, which have ended: no test adds requests to them. */
const today = new Date().toISOString().slice(0, 10);
export const weeks = { start: daysBefore(today, 14), end: today, time_zone: 'UTC' };
export const weeksInApi = { start: `${weeks.start}T00:00:00Z`, end: `${weeks.end}T00:00:00Z` };

function daysBefore(date: string, days: number): string {
  return new Date(Date.parse(date) - days * 86_400_000).toISOString().slice(0, 10);
}

export function busiestSession(entries: readonly LogEntry[]): string {
  return mode(entries.flatMap(({ session_id: id }) => id ?? []));
}

/** Such as `2026-11`. */
export function busiestMonth(entries: readonly LogEntry[]): string {
  return mode(entries.map(({ created_at }) => created_at.slice(0, 7)));
}

function mode(values: readonly string[]): string {
  const groups = [...Map.groupBy(values, (value) => value).values()];
  return groups.sort((one, other) => other.length - one.length)[0]?.[0] ?? '';
}
