import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUsd } from '#lambdas/platform/money.ts';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { eventually } from '#test/support/eventually.ts';
import { gatewayAssembly } from '#test/support/gateway-assembly.ts';
import { functionProcessIds } from '../support/function-processes.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from '../support/providers/openai/upstream.ts';

const requests = 240;
const messages = [{ role: 'user', content: 'Say hello' }];
const models = ['openai/gpt-4o', 'openai/gpt-4o-mini', 'openai/model-without-price', 'no-such-provider/x'];

interface Sums {
  requests: number;
  cost: string;
  input: number;
  output: number;
}

const nothing: Sums = { requests: 0, cost: '0', input: 0, output: 0 };

interface Entry {
  model: string;
  user_id: string | null;
  outcome: string;
  cost_usd: string;
  input_tokens: string | null;
  output_tokens: string | null;
}

interface Page {
  data: Entry[];
  next_cursor: string | null;
}

/** Numbers as strings, with all of their digits. */
interface Totals {
  requests: string;
  cost_usd: string;
  input_tokens: string;
  output_tokens: string;
}

interface Costs {
  by_model: Record<string, Totals>;
  groups: (Totals & { user_id: string | null })[];
}

/** Parses JSON and keeps numbers as strings: `number` would round a cost. */
function parseDigits<Body>(text: string): Body {
  return JSON.parse(text, (_name, value, context?: { source?: string }) =>
    typeof value === 'number' ? context?.source : value,
  ) as Body;
}

function sumBy(entries: Entry[], getName: (entry: Entry) => string): Record<string, Sums> {
  const sums: Record<string, Sums> = {};
  for (const entry of entries) {
    const sum = sums[getName(entry)] ?? nothing;
    sums[getName(entry)] = {
      requests: sum.requests + 1,
      cost: addUsd(sum.cost, entry.cost_usd),
      input: sum.input + Number(entry.input_tokens),
      output: sum.output + Number(entry.output_tokens),
    };
  }
  return sums;
}

function sumsIn(totals: Totals): Sums {
  return {
    requests: Number(totals.requests),
    cost: totals.cost_usd,
    input: Number(totals.input_tokens),
    output: Number(totals.output_tokens),
  };
}

describe('GET /api/costs', () => {
  let upstream: OpenAIUpstream;
  let gateway: LocalGateway;
  beforeAll(async () => {
    upstream = await startOpenAIUpstream({});
    gateway = await startLocalGateway({
      port: 0,
      ephemeral: true,
      assemblyDirectory: await gatewayAssembly(),
      environment: {
        PATH: process.env.PATH,
        OPENAI_BASE_URL: upstream.baseUrl,
        OPENAI_API_KEY: 'sk-upstream',
      },
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await upstream.stop();
  });

  const headers = () => ({ authorization: `Bearer ${gateway.apiKey}` });
  const get = async <Body>(path: string): Promise<Body> =>
    parseDigits(await (await fetch(`${gateway.baseUrl}${path}`, { headers: headers() })).text());
  const sendChatRequest = async (index: number) => {
    const response = await fetch(`${gateway.chatUrl}/ai/chat/completions`, {
      method: 'POST',
      headers: {
        ...headers(),
        'content-type': 'application/json',
        ...(index % 3 > 0 && { 'gateway-user-id': `user-${index % 7}` }),
      },
      body: JSON.stringify({ model: models[index % models.length], messages, stream: index % 2 === 0 }),
    });
    await response.text();
  };
  const sendChatRequests = async (from: number, to: number) => {
    const queue = Array.from({ length: to - from }, (_, index) => from + index);
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (let index = queue.shift(); index !== undefined; index = queue.shift())
          await sendChatRequest(index);
      }),
    );
  };
  const killRollup = async () => {
    const ids = await eventually(async () => {
      const running = functionProcessIds(gateway, 'CostRollup');
      expect(running).not.toEqual([]);
      return running;
    });
    for (const id of ids) process.kill(id, 'SIGKILL');
  };
  const allEntries = async (): Promise<Entry[]> => {
    const entries: Entry[] = [];
    for (let cursor = ''; ; ) {
      const page = await get<Page>(`/api/logs?limit=100${cursor}`);
      entries.push(...page.data);
      if (page.next_cursor === null) return entries;
      cursor = `&cursor=${page.next_cursor}`;
    }
  };

  it('returns the exact sum of the entries after the rollup function was killed twice', async () => {
    await sendChatRequests(0, requests / 3);
    await Promise.all([sendChatRequests(requests / 3, (2 * requests) / 3), killRollup()]);
    await Promise.all([sendChatRequests((2 * requests) / 3, requests), killRollup()]);

    const entries = await eventually(async () => {
      const all = await allEntries();
      expect(all).toHaveLength(requests);
      return all;
    });
    const counted = entries.filter(({ outcome }) => outcome !== 'rejected');
    expect(counted).toHaveLength((requests * 3) / 4);
    const byModel = sumBy(counted, ({ model }) => model);
    const byUser = sumBy(counted, ({ user_id }) => String(user_id));

    await eventually(async () => {
      const costs = await get<Costs>('/api/costs?group_by=user_id');
      const models = Object.entries(costs.by_model).map(([model, totals]) => [model, sumsIn(totals)]);
      const users = costs.groups.map((group) => [String(group.user_id), sumsIn(group)]);
      expect(Object.fromEntries(models)).toEqual(byModel);
      expect(Object.fromEntries(users)).toEqual(byUser);
    });
  });
});
