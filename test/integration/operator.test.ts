import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { eventually } from '#test/support/eventually.ts';
import { killFunction } from '#test/support/function-processes.ts';
import { gatewayAssembly, mailSettings } from '#test/support/gateway-assembly.ts';
import { runAdminCommand } from '../support/admin-command.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from '../support/providers/openai/upstream.ts';

const messages = [{ role: 'user', content: 'Say hello' }];

describe('The admin commands on the local stack', () => {
  let upstream: OpenAIUpstream;
  let dataDirectory: string;
  let gateway: LocalGateway;
  beforeAll(async () => {
    upstream = await startOpenAIUpstream({ expectedApiKey: 'sk-upstream' });
    dataDirectory = await mkdtemp(path.join(tmpdir(), 'gateway-operator-'));
    gateway = await start();
  });
  afterAll(async () => {
    await gateway.stop();
    await upstream.stop();
    await rm(dataDirectory, { recursive: true });
  });

  const start = async () =>
    startLocalGateway({
      port: 0,
      assemblyDirectory: await gatewayAssembly(mailSettings),
      dataDirectory,
      environment: { PATH: process.env.PATH, OPENAI_BASE_URL: upstream.baseUrl },
    });
  const admin = async (commandLine: string[], input?: string) => {
    const environment = { GATEWAY_DATA_DIRECTORY: dataDirectory };
    const { exitCode, stdout, stderr } = await runAdminCommand([...commandLine, '--json'], {
      environment,
      input,
    });
    expect([exitCode, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  };
  const newKey = async (name: string): Promise<{ organization: string; id: string; key: string }> => {
    const { id: organization } = await admin(['org', 'create', '--name', name]);
    const { id, key } = await admin(['key', 'create', '--organization', organization, '--name', 'test']);
    return { organization, id, key };
  };
  const sendChatRequest = (key: string) =>
    fetch(`${gateway.chatUrl}/ai/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'openai/gpt-4o', messages }),
    });
  const total = async (key: string) => {
    const response = await fetch(`${gateway.baseUrl}/api/costs`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return ((await response.json()) as { total_requests: number }).total_requests;
  };
  const logIds = async (key: string) => {
    const response = await fetch(`${gateway.baseUrl}/api/logs`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
  };

  it('keeps the credential, the logs and the costs across a restart', async () => {
    expect((await sendChatRequest(gateway.apiKey)).status).toBe(400);
    await gateway.stop();
    gateway = await start();
    await admin(['provider', 'set', 'openai'], 'sk-upstream');
    expect((await sendChatRequest(gateway.apiKey)).status).toBe(200);
    await eventually(async () => expect(await total(gateway.apiKey)).toBe(1));
    const ids = await logIds(gateway.apiKey);
    // The request that was rejected right before the first stop is included.
    expect(ids).toHaveLength(2);
    const { apiKey } = gateway;

    await gateway.stop();
    gateway = await start();

    expect(gateway.apiKey).toBe(apiKey);
    expect(await logIds(apiKey)).toEqual(ids);
    expect((await sendChatRequest(apiKey)).status).toBe(200);
    await eventually(async () => expect(await total(apiKey)).toBe(2));
    const secrets = await readFile(path.join(dataDirectory, 'local.json'), 'utf8');
    expect(secrets).not.toContain('sk-upstream');
  });

  it('prices requests with a custom price from its start, and earlier ones by a reprice', async () => {
    await admin(['provider', 'set', 'openai'], 'sk-upstream');
    const { organization, key } = await newKey('Custom prices');
    // For a minute, its cache may say that there are no custom prices.
    await killFunction(gateway, 'ChatFunction');
    const prices = async () => {
      const response = await fetch(`${gateway.baseUrl}/api/logs`, {
        headers: { authorization: `Bearer ${key}` },
      });
      const { data } = (await response.json()) as { data: { cost_usd: number; pricing_version: string }[] };
      return data.map(({ cost_usd, pricing_version }) => [cost_usd, pricing_version]);
    };
    const scope = ['--input', '100', '--output', '100', '--organization', organization];
    const from = '2026-01-01T00:00:00.000Z';
    const set = (model: string, ...options: string[]) =>
      runAdminCommand(['price', 'set', model, ...scope, '--from', from, ...options], {
        environment: { GATEWAY_DATA_DIRECTORY: dataDirectory },
      });
    await set('openai/gpt-4o');
    // 19 input and 5 output tokens, at $100 per million.
    expect((await sendChatRequest(key)).status).toBe(200);
    await eventually(async () => expect(await prices()).toEqual([[0.0024, `organization@${from}`]]));

    await set('openai/gpt-4o', '--input', '200');
    const reprice = ['costs', 'reprice', '--all', '--from', from, '--organization', organization];
    expect(await admin(reprice)).toMatchObject({ read: 1, changed: 1, cost_difference_usd: 0.0019 });
    expect(await admin(reprice)).toMatchObject({ read: 1, changed: 0 });
    expect(await prices()).toEqual([[0.0043, `organization@${from}`]]);
  });

  it('sends an invitation to the local mailbox', async () => {
    const { organization } = await newKey('Invited');

    const { url, mailed } = await admin([
      ...['org', 'invite', '--organization', organization, '--email', 'bob@example.com'],
    ]);

    expect(mailed).toBe(true);
    expect(gateway.mailbox?.messages()).toMatchObject([
      { to: 'bob@example.com', text: expect.stringContaining(`${gateway.dashboardUrl}/invitations/`) },
    ]);
    expect(gateway.mailbox?.messages()[0]?.text).toContain(url);
  });

  it('hides the data of other organizations, and rejects a revoked key', async () => {
    await admin(['provider', 'set', 'openai'], 'sk-upstream');
    const [first, second] = [await newKey('First'), await newKey('Second')];
    expect((await sendChatRequest(first.key)).status).toBe(200);
    const [id] = await eventually(async () => {
      const ids = await logIds(first.key);
      expect(ids).toEqual([expect.any(String)]);
      return ids;
    });
    expect(await logIds(second.key)).toEqual([]);
    const otherOrganization = await fetch(`${gateway.baseUrl}/api/logs/${id}`, {
      headers: { authorization: `Bearer ${second.key}` },
    });
    expect(otherOrganization.status).toBe(404);
    expect(await total(second.key)).toBe(0);

    await admin(['key', 'revoke', '--organization', second.organization, '--key', second.id]);
    // A function that has not cached the key rejects it immediately; one that has does so within 20 seconds.
    expect((await sendChatRequest(second.key)).status).toBe(401);
    expect((await sendChatRequest(first.key)).status).toBe(200);
  });
});
