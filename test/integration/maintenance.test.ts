/** Scheduled maintenance on the local stack: requests whose function is killed, and the verification of their rollups. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { eventually } from '#test/support/eventually.ts';
import { killFunction } from '#test/support/function-processes.ts';
import { gatewayAssembly } from '#test/support/gateway-assembly.ts';
import { type LogLine, withoutCommonFields } from '#test/support/log-lines.ts';
import { haveEnded, parseFunctionLine } from '#test/support/signals/function-lines.ts';
import { type FaultProxy, startFaultProxy } from '../faults/support/fault-proxy.ts';
import { type EmbeddedDynamoDB, startSeparateDynamoDB } from '../support/dynamodb/embedded.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from '../support/providers/openai/upstream.ts';
import { hangBeforeHeaders } from '../support/providers/upstream-responses.ts';

interface Entry {
  id: string;
  outcome: string;
  status: number;
  input_tokens: number | null;
  output_tokens: number | null;
  cost_usd: number;
}

interface Costs {
  total_requests: number;
  complete_until: string;
}

/** By then, a request of now can no longer be running. */
const laterMs = 17 * 60_000;

describe('Scheduled maintenance', () => {
  const output: string[] = [];
  let upstream: OpenAIUpstream;
  let database: EmbeddedDynamoDB;
  let proxy: FaultProxy;
  let gateway: LocalGateway;
  beforeAll(async () => {
    upstream = await startOpenAIUpstream({ expectedApiKey: 'sk-upstream' });
    database = await startSeparateDynamoDB();
    proxy = await startFaultProxy(
      () => database.endpoint,
      () => 0,
    );
    gateway = await startLocalGateway({
      port: 0,
      ephemeral: true,
      assemblyDirectory: await gatewayAssembly(),
      environment: {
        PATH: process.env.PATH,
        OPENAI_API_KEY: 'sk-upstream',
        OPENAI_BASE_URL: upstream.baseUrl,
        AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
      },
      onLogLine: (line) => output.push(line),
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await proxy.stop();
    await database.stop();
    await upstream.stop();
  });

  const headers = () => ({ authorization: `Bearer ${gateway.apiKey}` });
  const send = (stream: boolean) =>
    fetch(`${gateway.chatUrl}/ai/chat/completions`, {
      method: 'POST',
      headers: headers(),
      body: JSON.stringify({
        model: 'openai/gpt-4o',
        stream,
        messages: [{ role: 'user', content: 'Say hello' }],
      }),
    });
  const get = async <Body>(path: string) =>
    (await (await fetch(`${gateway.baseUrl}${path}`, { headers: headers() })).json()) as Body;
  const fetchEntries = async () => (await get<{ data: Entry[] }>('/api/logs')).data;

  const lines = () => output.flatMap((line) => parseFunctionLine(line) ?? []);
  /** The function's own lines, without those of Lambda. */
  const linesOf = (name: string): LogLine[] =>
    lines().flatMap(({ functionName, fields }) =>
      functionName === name && 'timestamp' in fields ? [withoutCommonFields(fields)] : [],
    );
  /** Resolves to the id of the log entry that the line is about. */
  const lineOfRequest = (event: string, number: number) =>
    eventually(() => {
      const ids = linesOf('ChatFunction').flatMap((line) => (line.event === event ? [line.log_id] : []));
      expect(ids).toHaveLength(number);
      return String(ids.at(-1));
    });
  const recover = async () => {
    const before = linesOf('MaintenanceRecoverRequests').length;
    await gateway.runSchedule('MaintenanceRecoverRequestsSchedule', new Date(Date.now() + laterMs));
    return eventually(() => {
      const lines = linesOf('MaintenanceRecoverRequests').slice(before);
      expect(lines.at(-1)?.event).toBe('requests_recovered');
      return lines;
    });
  };

  it('restores tokens and cost of a completed request, and marks an unfinished one as interrupted', async () => {
    const warmUp = await send(false);
    await warmUp.arrayBuffer();
    const [written] = await eventually(async () => {
      const entries = await fetchEntries();
      expect(entries).toHaveLength(1);
      return entries;
    });
    await proxy.setFault({ kind: 'stalled', operations: ['PutItem'] });
    const text = await (await send(true)).text();
    const completedId = await lineOfRequest('request_completed', 2);
    await killFunction(gateway, 'ChatFunction');
    await proxy.setFault(null);
    upstream.script(hangBeforeHeaders);
    const interrupted = send(false);
    const interruptedId = await lineOfRequest('request_forwarded', 3);
    await killFunction(gateway, 'ChatFunction');
    const { status } = await interrupted;
    const entriesBefore = await fetchEntries();

    const lines = await recover();

    expect({ status, text: text.slice(-14) }).toEqual({ status: 502, text: 'data: [DONE]\n\n' });
    expect(entriesBefore.map(({ id }) => id)).toEqual([written?.id]);
    const recovered = {
      level: 'INFO',
      event: 'entry_recovered',
      organization_id: gateway.organizationId,
    };
    expect(lines).toEqual([
      { ...recovered, log_id: completedId, outcome: 'completed', source: 'request_completed' },
      { ...recovered, log_id: interruptedId, outcome: 'interrupted', source: 'request_forwarded' },
      {
        level: 'INFO',
        event: 'requests_recovered',
        from: expect.any(String),
        to: expect.any(String),
        lines_read: expect.any(Number),
        restored: 2,
        interrupted: 1,
        already_present: 1,
        running: 0,
        waiting: 0,
        unreadable: 0,
        complete: true,
        queued_entries: 0,
        dead_letters: 0,
        RecoveryRuns: 1,
        RecoveredEntries: 2,
      },
    ]);
    const { input_tokens, output_tokens, cost_usd } = written ?? {};
    expect(cost_usd).toBeGreaterThan(0);
    expect(await fetchEntries()).toMatchObject([
      // 3 × $2.5 per million.
      { id: interruptedId, outcome: 'interrupted', input_tokens: 3, cost_usd: 0.0000075, pricing: 'assumed' },
      { id: completedId, outcome: 'completed', status: 200, input_tokens, output_tokens, cost_usd },
      { id: written?.id, outcome: 'completed', status: 200 },
    ]);
  });

  it('restores nothing twice', async () => {
    const lines = await recover();

    expect(lines).toMatchObject([{ event: 'requests_recovered', restored: 0, already_present: 3 }]);
    expect(await fetchEntries()).toHaveLength(3);
  });

  it('verifies the rollups of all organizations, once a night', async () => {
    await eventually(async () => {
      // Sums that are being written would be checked again after five minutes.
      const askedAt = new Date().toISOString();
      const { total_requests, complete_until } = await get<Costs>('/api/costs');
      expect(total_requests).toBe(3);
      expect(complete_until >= askedAt).toBe(true);
      await gateway.monitor.report();
      expect(haveEnded(lines(), 'CostRollupFunction')).toBe(true);
    });
    const due = new Date();
    await gateway.runSchedule('MaintenanceVerifyRollupsSchedule', due);
    await gateway.runSchedule('MaintenanceVerifyRollupsSchedule', due);

    await expect.poll(() => linesOf('MaintenanceVerifyRollups')).toHaveLength(1);
    expect(linesOf('MaintenanceVerifyRollups')).toEqual([
      {
        level: 'INFO',
        event: 'rollups_verified',
        day: new Date(due.getTime() - 86_400_000).toISOString().slice(0, 10),
        organizations: 1,
        differences: 0,
        unverified: 0,
        VerificationRuns: 1,
      },
    ]);
    expect(output.filter((line) => line.includes('is not authorized'))).toEqual([]);
  });
});
