/** Pages of other sites, which call the gateway with `fetch` in a real browser. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { launchBrowser } from '#test/support/browser/chromium.ts';
import { eventually } from '#test/support/eventually.ts';
import { gatewayAssembly } from '#test/support/gateway-assembly.ts';
import { allowedPage, limitedSettings } from '#test/support/limited-gateway.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from '#test/support/providers/openai/upstream.ts';

let upstream: OpenAIUpstream;
let gateway: LocalGateway;
let browser: Browser;
const lines: string[] = [];
beforeAll(async () => {
  upstream = await startOpenAIUpstream({ expectedApiKey: 'sk-upstream' });
  [gateway, browser] = await Promise.all([
    startLocalGateway({
      port: 0,
      ephemeral: true,
      assemblyDirectory: await gatewayAssembly(limitedSettings),
      environment: { ...process.env, OPENAI_API_KEY: 'sk-upstream', OPENAI_BASE_URL: upstream.baseUrl },
      onLogLine: (line) => lines.push(line),
    }),
    launchBrowser(),
  ]);
});
afterAll(async () => {
  await browser.close();
  await gateway.stop();
  await upstream.stop();
});

async function openPage(origin: string): Promise<Page> {
  const context = await browser.newContext();
  // Otherwise Chrome keeps the page, which no server of this machine has sent, from calling the local gateway.
  await context.grantPermissions(['local-network-access'], { origin });
  const page = await context.newPage();
  await page.route(`${origin}/`, (route) => route.fulfill({ contentType: 'text/html', body: '<p>App' }));
  await page.goto(`${origin}/`);
  // While there are routes, Playwright answers preflights itself.
  await page.unrouteAll();
  return page;
}

interface Read {
  status: number;
  headers: Record<string, string>;
  text: string;
}

const chat = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'Say hello' }] };

/** Sends chat requests at the same time. A response that the page cannot read is a network error. */
function post(page: Page, url: string, { body = {}, apiKey = gateway.apiKey, count = 1 } = {}) {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    'gateway-user-id': 'ada',
    'x-stainless-lang': 'js',
  };
  const init = { method: 'POST', headers, body: JSON.stringify({ ...chat, ...body }) };
  return send(page, url, { init, count });
}

interface Init {
  method?: string;
  headers: Record<string, string>;
  body?: string;
}

function send(page: Page, url: string, request: { init: Init; count: number }) {
  return page.evaluate(
    ({ url, init, count }) => {
      const read = async (): Promise<Read | string> => {
        try {
          const response = await fetch(url, init);
          return {
            status: response.status,
            headers: Object.fromEntries(response.headers),
            text: await response.text(),
          };
        } catch (error) {
          return String(error);
        }
      };
      return Promise.all(Array.from({ length: count }, read));
    },
    { url, ...request },
  );
}

const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
const endpoints = [
  ['REST API', () => `${gateway.baseUrl}/ai`],
  ['function URL', () => `${gateway.chatUrl}/ai`],
] as const;

it.each(endpoints)(
  'The %s answers a preflight without a key, and other origins learn nothing',
  async (_, base) => {
    const preflight = async (origin: string) => {
      const response = await fetch(`${base()}/chat/completions`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
        },
      });
      const headers = [...response.headers].filter(([name]) =>
        /^(access-control-(?!expose)|vary)/.test(name),
      );
      return { status: response.status, headers: Object.fromEntries(headers), body: await response.text() };
    };

    expect(await preflight(allowedPage)).toEqual({
      status: 204,
      headers: {
        'access-control-allow-origin': allowedPage,
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': 'authorization,content-type,x-stainless-lang',
        'access-control-max-age': '7200',
        vary: 'origin',
      },
      body: '',
    });
    expect(await preflight('http://other.localhost')).toEqual({
      status: 204,
      headers: { vary: 'origin' },
      body: '',
    });
  },
);

describe.each(endpoints)('A page of an allowed origin at the %s', (_, base) => {
  it('reads a stream, with the headers that name its log entry and provider', async () => {
    const page = await openPage(allowedPage);

    const [response] = await post(page, `${base()}/chat/completions`, { body: { stream: true } });

    expect(response).toMatchObject({
      status: 200,
      headers: { 'x-request-id': id, 'x-gateway-request-id': id, 'x-gateway-provider': 'openai' },
      text: expect.stringMatching(/^data: .*\n\ndata: \[DONE\]\n\n$/s),
    });
  });

  it('reads the error of a wrong key', async () => {
    const page = await openPage(allowedPage);

    const [response] = await post(page, `${base()}/v1/chat/completions`, { apiKey: 'pt_live_wrong' });

    expect(response).toMatchObject({
      status: 401,
      headers: { 'x-request-id': id },
      text: expect.stringContaining('"code":"invalid_api_key"'),
    });
  });

  it('reads the error of a path that does not exist', async () => {
    const page = await openPage(allowedPage);

    const [response] = await post(page, `${base()}/v2/chat/completions`);

    expect(response).toMatchObject({ status: 404, text: expect.stringContaining('"code":"not_found"') });
  });

  it('lists the models', async () => {
    const page = await openPage(allowedPage);
    const init = { headers: { authorization: `Bearer ${gateway.apiKey}` } };

    const [response] = await send(page, `${base()}/v1/models/`, { init, count: 1 });

    expect(response).toMatchObject({ status: 200, text: expect.stringContaining('"object":"list"') });
  });
});

it('A page of an allowed origin reads when to retry a request that API Gateway throttles', async () => {
  const page = await openPage(allowedPage);

  const responses = await post(page, `${gateway.baseUrl}/ai/chat/completions`, { count: 6 });

  expect(responses).toContainEqual({
    status: 429,
    headers: expect.objectContaining({ 'retry-after': '1', 'x-request-id': id }),
    text: expect.stringContaining('"code":"rate_limit_exceeded"'),
  });
});

it('A page of an allowed origin reads logs and costs', async () => {
  const page = await openPage(allowedPage);
  const init = { headers: { authorization: `Bearer ${gateway.apiKey}` } };
  const read = async (path: string) => {
    const [response] = await send(page, `${gateway.baseUrl}/api${path}`, { init, count: 1 });
    return response as Read;
  };

  await eventually(async () => {
    const logs = await read('/logs?user_id=ada&limit=1');
    const [entry] = JSON.parse(logs.text).data;
    const log = await read(`/logs/${entry.id}`);
    expect([log.status, JSON.parse(log.text).id, log.headers['x-request-id']]).toEqual([200, entry.id, id]);
  });
  expect((await read('/costs')).status).toBe(200);
});

it.each(endpoints)('A page of another origin sends nothing through the %s', async (_, base) => {
  const page = await openPage('http://other.localhost');
  const [seenRequests, seenLines] = [upstream.requests.length, lines.length];

  const responses = await post(page, `${base()}/chat/completions`);

  expect(responses).toEqual(['TypeError: Failed to fetch']);
  const newLines = () => lines.slice(seenLines);
  await expect.poll(newLines).toContainEqual(expect.stringMatching(/^OPTIONS \/ai\/chat\/completions 204 /));
  expect(upstream.requests).toHaveLength(seenRequests);
  expect(newLines().filter((line) => line.includes('_rejected'))).toEqual([]);
});
