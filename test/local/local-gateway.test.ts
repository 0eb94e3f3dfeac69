import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createEventSender } from '#lambdas/platform/aws/event-bridge.ts';
import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { startLocalGateway } from '#local/local-gateway.ts';
import { readableLine } from '#local/monitoring/readable-lines.ts';
import { type GatewayFixture, probe, read, startGatewayFixture } from './gateway-fixture.ts';

let gateway: GatewayFixture;

beforeAll(async () => {
  gateway = await startGatewayFixture();
});

afterAll(() => gateway.stop());

describe('Functions of the local run', () => {
  it('passes functions the environment variables of the template, not those of the local run', async () => {
    const environment = await read<object>(await probe(gateway.chatUrl, 'environment'));

    expect(environment).toMatchObject({
      EVENTS_TABLE: 'Fixture-Events',
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL: gateway.connection.dynamodb_endpoint,
      AWS_LAMBDA_FUNCTION_NAME: 'Fixture-Probe',
      // Locally, anyone may sign up.
      SIGN_UP: 'open',
    });
    expect(environment).not.toHaveProperty('UNRELATED');
    expect(environment).not.toHaveProperty('LOCAL_WORKER_SOCKET');
  });

  it('starts the function of the function URL ahead of time, and others for their first invocation', async () => {
    const another = await startGatewayFixture();
    onTestFinished(another.stop);
    const names = () => another.functionProcesses().map(({ functionName }) => functionName);
    const before = names();
    await fetch(`${another.baseUrl}/reports/1`);

    expect(before).toEqual(['Fixture-Probe']);
    expect(names()).toEqual(['Fixture-Probe', 'Fixture-Report']);
  });

  it('tells the processes of its functions', () => {
    const processes = gateway.functionProcesses();

    expect(processes).not.toEqual([]);
    for (const { processId: id } of processes) expect(process.kill(id, 0)).toBe(true);
  });

  it('adds credentials of the environment to the provider secret', async () => {
    const secret = await read<object>(await probe(gateway.chatUrl, 'secret'));

    expect(secret).toEqual({ groq: { api_key: 'gsk-1' } });
  });

  it('returns AccessDeniedException for an action that the role of the function does not grant', async () => {
    const response = await probe(gateway.chatUrl, 'read without a grant');
    const error = await read<{ name: string; message: string }>(response);

    expect(error.name).toBe('AccessDeniedException');
    expect(error.message).toBe(
      'User: arn:aws:sts::000000000000:assumed-role/Fixture-ProbeRole/Fixture-Probe is not authorized to perform: dynamodb:GetItem on resource: arn:aws:dynamodb:dynoxide:000000000000:table/Fixture-Events because no identity-based policy allows the dynamodb:GetItem action',
    );
    expect(gateway.logLines).toContain(error.message);
  });

  it('prints the output of a function with its name', async () => {
    await probe(gateway.chatUrl, 'process');

    await expect.poll(() => gateway.logLines.map(readableLine)).toContain('[Probe] behaviour: process');
  });
});

describe('The metrics page', () => {
  it('is made after all that functions have written is read', async () => {
    const printed = () => gateway.logLines.filter((line) => line.includes('behaviour: secret')).length;
    const before = printed();
    await probe(gateway.chatUrl, 'secret');
    await gateway.monitor.report();

    expect(printed()).toBe(before + 1);
  });

  it('is served by the REST API alone, and is not in the access log', async () => {
    const ofApi = await fetch(`${gateway.baseUrl}/_local/metrics`, {
      headers: { accept: 'application/json' },
    });
    const ofFunctionUrl = await probe(`${gateway.chatUrl}/_local/metrics`, 'process', { method: 'GET' });

    expect(await read(ofApi)).toMatchObject({ completeness: { all_counted: true, queued_messages: 0 } });
    expect(Object.keys(await read<object>(ofFunctionUrl))).toEqual(['processId']);
    expect(gateway.logLines.filter((line) => line.startsWith('GET /_local'))).toHaveLength(1);
  });
});

describe('Default event bus', () => {
  it('logs events and keeps them for tests', async () => {
    const credentials = { accessKeyId: 'local-admin', secretAccessKey: 'any' };
    const endpoints = { events: gateway.connection.dynamodb_endpoint };
    const access = { region: 'us-east-1', credentials, endpoints };
    const events = createJsonService({ service: 'events', access, now: () => new Date() });
    await createEventSender(events).send([
      { source: 'ai-gateway', detailType: 'Budget Threshold Reached', detail: { percent: 80 } },
    ]);

    expect(gateway.latestEvents()).toMatchObject([
      { source: 'ai-gateway', detailType: 'Budget Threshold Reached', detail: { percent: 80 } },
    ]);
    expect(gateway.logLines).toContain('event  ai-gateway · Budget Threshold Reached · {"percent":80}');
  });
});

describe('Data directory', () => {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-'));
  const start = () =>
    startLocalGateway({
      assemblyDirectory: gateway.assemblyDirectory,
      dataDirectory: directory,
      port: 0,
      signUpAsConfigured: true,
      environment: { PATH: process.env.PATH },
    });

  afterAll(() => rmSync(directory, { recursive: true }));

  it('keeps the API key over a restart and rejects a second gateway', async () => {
    const first = await start();
    const connection = JSON.parse(readFileSync(join(directory, 'local.json'), 'utf8'));
    const mode = statSync(join(directory, 'local.json')).mode & 0o777;
    const concurrent = start();

    await expect(concurrent).rejects.toThrow(
      `A local gateway (process ${process.pid}) is already running on ${directory} at ${first.baseUrl}: stop it first`,
    );
    const environment = await read<object>(await probe(first.chatUrl, 'environment'));
    await first.stop();
    const second = await start();
    await second.stop();

    expect(connection).toEqual(first.connection);
    expect(connection).toMatchObject({
      base_url: first.baseUrl,
      chat_url: first.chatUrl,
      dashboard_url: null,
      sign_in_url: null,
      api_key: expect.stringMatching(/^pt_live_[0-9A-Za-z]{32}$/),
      sqs_endpoint: first.connection.dynamodb_endpoint,
      region: 'us-east-1',
      outputs: {
        ApiBaseUrl: first.baseUrl,
        ChatUrl: first.chatUrl,
        DirectoryTableName: 'Fixture-Directory',
        DeadLetterQueueUrl: `${first.connection.sqs_endpoint}/000000000000/Fixture-DeadLetters`,
        ProviderSettings: expect.stringMatching(/^\{"demo":\{"baseUrl":/),
      },
      pid: process.pid,
    });
    expect(mode).toBe(0o600);
    expect(environment).toMatchObject({ SIGN_UP: 'invited' });
    expect(second.apiKey).toBe(first.apiKey);
    expect(second.organizationId).toBe(first.organizationId);
    expect(JSON.parse(readFileSync(join(directory, 'local.json'), 'utf8'))).not.toHaveProperty('pid');
  });
});
